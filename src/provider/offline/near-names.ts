const SUGGESTIONS_MAX = 5;
const NAME_MAX_CHARS = 100;
const NAMES_MAX = 1_000;

/** Names that a user may have meant, the nearest first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const target = fold(wanted);
  const scored = names
    .slice(0, NAMES_MAX)
    .filter((name) => name !== wanted)
    .map((name) => ({ name, distance: distanceOf(target, fold(name)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(target.length / 3)));
  return scored
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase().slice(0, NAME_MAX_CHARS);
}

/** Edits from one name to the other; a name that only lacks its suffix is as near as one edit. */
function distanceOf(a: string, b: string): number {
  if (stem(a) === stem(b)) return 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const swap = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

function stem(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}
