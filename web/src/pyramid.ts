import type { Column } from "./scene.ts";

const FAN = 4;

/**
 * A signal at several resolutions: each level has the extremes of four of the level below, so that any stretch of it can be
 * drawn from a few thousand numbers, and no peak is ever lost. Levels are made when they are first asked for.
 */
export class Pyramid {
  private readonly levels: { low: ArrayLike<number>; high: ArrayLike<number> }[];
  constructor(column: Column) {
    this.levels = [{ low: column.low, high: column.high }];
  }

  private level(k: number): { low: ArrayLike<number>; high: ArrayLike<number> } {
    while (this.levels.length <= k) this.levels.push(coarser(this.levels.at(-1)!));
    return this.levels[k]!;
  }

  /** The extremes of each bucket of FAN^k rows from bucket `first` to before bucket `last`. */
  extremes(k: number, first: number, last: number): { low: number; high: number }[] {
    const { low, high } = this.level(k);
    const out = [];
    for (let i = first; i < Math.min(last, low.length); ++i) out.push({ low: low[i]!, high: high[i]! });
    return out;
  }
}

function coarser(fine: { low: ArrayLike<number>; high: ArrayLike<number> }): { low: Float64Array; high: Float64Array } {
  const n = Math.ceil(fine.low.length / FAN);
  const low = new Float64Array(n).fill(NaN);
  const high = new Float64Array(n).fill(NaN);
  for (let i = 0; i < fine.low.length; ++i) {
    const k = (i / FAN) | 0;
    // Written so that a number beats a gap.
    if (!(low[k]! <= fine.low[i]!) && !Number.isNaN(fine.low[i]!)) low[k] = fine.low[i]!;
    if (!(high[k]! >= fine.high[i]!) && !Number.isNaN(fine.high[i]!)) high[k] = fine.high[i]!;
  }
  return { low, high };
}

export interface Stretch {
  /** Two points for each bucket. */
  t: number[];
  series: (number | null)[][];
}

const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);

/** The rows from `first` to before `last` of several signals of one table, in at most about `points` points. */
export function stretch(
  t: Float64Array,
  pyramids: Pyramid[],
  columns: Column[],
  first: number,
  last: number,
  points: number,
): Stretch {
  const rows = last - first;
  let k = 0;
  while (rows / FAN ** k > points / 2) ++k;
  if (k === 0 && columns.every((c) => c.low === c.value)) {
    const series = columns.map((c) => Array.from(c.value.subarray(first, last), finite));
    return { t: Array.from(t.subarray(first, last)), series };
  }
  const size = FAN ** k;
  const begin = Math.floor(first / size);
  const end = Math.ceil(last / size);
  const out: Stretch = { t: [], series: columns.map(() => []) };
  for (let i = begin; i < end; ++i) {
    const from = t[Math.min(i * size, t.length - 1)]!;
    const to = t[Math.min((i + 1) * size, t.length - 1)]!;
    out.t.push(from, 0.5 * (from + to));
  }
  pyramids.forEach((pyramid, s) => {
    for (const { low, high } of pyramid.extremes(k, begin, end)) out.series[s]!.push(finite(low), finite(high));
  });
  return out;
}
