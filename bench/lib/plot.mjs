// A row of small line charts as one SVG, without a library: linear axes from zero.
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [380, 250, 52, 34, 14, 42];
const COLOURS = ["#1f6feb", "#d1662a", "#5b8f3a"];

const shown = (value) =>
  value >= 1_000 ? `${Number((value / 1_000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));
const escaped = (text) => text.replace(/[<&]/g, (char) => (char === "<" ? "&lt;" : "&amp;"));

export function plotSvg(charts) {
  const columns = Math.min(2, charts.length);
  const [width, height] = [WIDTH * columns, HEIGHT * Math.ceil(charts.length / columns)];
  const parts = charts.map((chart, index) => {
    const [x, y] = [WIDTH * (index % columns), HEIGHT * Math.floor(index / columns)];
    return `<g transform="translate(${x} ${y})">${chartSvg(chart)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<rect width="${width}" height="${height}" fill="#fff"/>
${parts.join("\n")}
</svg>
`;
}

function chartSvg({ title, x, y, lines }) {
  const points = lines.flatMap((line) => line.points);
  const [xMax, yMax] = [0, 1].map((axis) => Math.max(...points.map((point) => point[axis])));
  const [plotWidth, plotHeight] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
  const at = ([px, py]) => [LEFT + (px / xMax) * plotWidth, TOP + plotHeight - (py / yMax) * plotHeight];
  const text = (tx, ty, words, more = "") => `<text x="${tx}" y="${ty}" ${more}>${escaped(words)}</text>`;
  const bottom = TOP + plotHeight;
  return [
    text(LEFT, 14, title, 'font-weight="bold"'),
    `<path d="M${LEFT} ${TOP}V${bottom}H${LEFT + plotWidth}" fill="none" stroke="#888"/>`,
    text(LEFT - 6, TOP + 4, `${shown(yMax)}`, 'text-anchor="end"'),
    text(LEFT - 6, bottom, "0", 'text-anchor="end"'),
    text(LEFT - 6, TOP + plotHeight / 2, y, 'text-anchor="end" fill="#666"'),
    text(LEFT + plotWidth, bottom + 14, shown(xMax), 'text-anchor="end"'),
    text(LEFT + plotWidth / 2, bottom + 14, x, 'text-anchor="middle" fill="#666"'),
    ...lines.map(({ points: own }, index) => {
      const path = own
        .map((point) =>
          at(point)
            .map((value) => value.toFixed(1))
            .join(" "),
        )
        .join("L");
      return `<path d="M${path}" fill="none" stroke="${COLOURS[index]}" stroke-width="1.8"/>`;
    }),
    ...lines.map(({ name }, index) =>
      text(LEFT + index * 105, bottom + 32, `— ${name}`, `fill="${COLOURS[index]}"`),
    ),
  ].join("");
}
