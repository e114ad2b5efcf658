const [BEGIN, END] = ["<!-- bench: begin -->", "<!-- bench: end -->"];

const number = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

const isMet = ({ value, goal }) =>
  goal.max === undefined ? value >= goal.min : Number(number(value)) <= goal.max;

/** With the sign of a difference, the unit, and which value of many it is. */
const shown = (value, as) =>
  as.startsWith("+ ") ? `${value.startsWith("-") ? "" : "+"}${value} ${as.slice(2)}` : `${value} ${as}`;

export const goalOf = ({ goal, as = "×" }) =>
  `${goal.max === undefined ? "≥" : "≤"} ${shown(String(goal.max ?? goal.min), as.split(",")[0])}`;

function spread(stats, unit) {
  if (!stats) return "";
  const tail =
    stats.p99 === undefined ? `${number(stats.min)}–${number(stats.max)}` : `p99 ${number(stats.p99)}`;
  return `${number(stats.median)} ${unit} (${tail})`;
}

export function measureRow(measure) {
  if (measure.skipped)
    return [measure.what, measure.against, goalOf(measure), `not measured: ${measure.skipped}`, "", "", ""];
  const { what, against = "", unit, value, as, base, ours } = measure;
  const met = isMet(measure);
  return [
    what,
    against,
    goalOf(measure),
    `${shown(number(value), as)}${met ? "" : " (missed)"}`,
    spread(ours, unit),
    spread(base, unit),
    met ? "" : measure.limit,
  ];
}

export function markdownTable(rows) {
  const lines = rows.map(({ name, result, error }) => {
    if (error) return [[`row ${name}`, "", "", `**failed**: ${error}`, "", "", ""]];
    if (result.skipped) return [[`row ${name}`, "", "", `not measured: ${result.skipped}`, "", "", ""]];
    return result.measures.map(measureRow);
  });
  const head = ["what", "against", "goal", "measured", "RuiZN", "the other", "what the limit is"];
  return [head, head.map(() => "---"), ...lines.flat()].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Puts what was measured between the markers of the page. */
export function replaceMeasured(page, text) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no ${BEGIN} … ${END}`);
  return `${page.slice(0, from + BEGIN.length)}\n${text}\n${page.slice(to)}`;
}
