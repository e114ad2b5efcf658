import { statistics } from "./statistics.mjs";

/**
 * Calls each contender in turns (A B A B …), so that whatever else the machine does hits all of them.
 * @returns for each name a list of rounds, each a list of the milliseconds of its calls; the warm-up rounds are left out.
 */
export async function inTurns(contenders, { rounds, calls = 1, warmUp = 1, before }) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, call] of Object.entries(contenders)) {
      const list = [];
      for (let i = 0; i < calls; i += 1) {
        await before?.();
        const startedAt = performance.now();
        await call();
        list.push(performance.now() - startedAt);
      }
      if (round >= 0) times[name].push(list);
    }
  }
  return times;
}

/**
 * One measure of a row: what we need, over what another needs, of the same round; the median of the rounds' ratios.
 * @param base and ours are rounds, each one value or a list of values, in `unit`.
 */
export function ratioOf({ base, ours, ...rest }) {
  const middle = (round) => (Array.isArray(round) ? statistics(round).median : round);
  const ratios = ours.map((round, index) => middle(round) / middle(base[index]));
  return {
    ...rest,
    base: statistics(base.flat()),
    ours: statistics(ours.flat()),
    ratio: statistics(ratios),
    value: statistics(ratios).median,
    as: "×",
  };
}

/** One measure whose goal is on the difference between the two medians, in `unit`. */
export function differenceOf({ base, ours, ...rest }) {
  const [b, o] = [statistics(base.flat()), statistics(ours.flat())];
  return { ...rest, base: b, ours: o, value: o.median - b.median, as: `+ ${rest.unit}` };
}
