import { rowAt, type Ledger, type Scene } from "./scene.ts";

// The arithmetic of the energy panel, apart from its drawing.

export interface Interval {
  from: number;
  to: number;
}

export interface EntryFlow {
  name: string;
  supplied: number;
  delivered: number;
  stored: number;
  dissipated: number;
}

export interface Flow {
  entries: EntryFlow[];
  kinetic: number;
  potential: number;
  losses: number;
  residual: number;
}

const PARTS = 4;

/** The column of a part (supplied, delivered, stored, dissipated) of an entry. */
export function ledgerColumn(ledger: Ledger, entry: number, part: number): ArrayLike<number> {
  return ledger.columns[PARTS * entry + part]!.value;
}

function stateColumn(scene: Scene, name: string): ArrayLike<number> {
  return scene.states.columns.find((c) => c.name === name)?.value ?? [];
}

/** What went where between two times; of the whole recording from its very start. */
export function flowBetween(scene: Scene, { from, to }: Interval): Flow {
  const { ledger, states } = scene;
  const first = rowAt(ledger.t, from);
  const last = rowAt(ledger.t, to);
  const change = (column: ArrayLike<number>): number => (column[last] ?? 0) - (column[first] ?? 0);
  const entries = ledger.entries.map((name, e): EntryFlow => {
    const part = (k: number): number => change(ledgerColumn(ledger, e, k));
    return { name, supplied: part(0), delivered: part(1), stored: part(2), dissipated: part(3) };
  });
  const n = PARTS * ledger.entries.length;
  const losses = change(ledger.columns[n + 1]!.value);
  const at = (name: string, t: number): number => stateColumn(scene, name)[rowAt(states.t, t)] ?? 0;
  const t0 = ledger.t[first] ?? from;
  const t1 = ledger.t[last] ?? to;
  const total = change(ledger.columns[n]!.value);
  const delivered = entries.reduce((sum, e) => sum + e.delivered, 0);
  return {
    entries,
    kinetic: at("kinetic", t1) - at("kinetic", t0),
    potential: at("potential", t1) - at("potential", t0),
    losses,
    residual: total + losses - delivered,
  };
}

export interface Stream {
  name: string;
  joules: number;
  kind: "kinetic" | "potential" | "element" | "events";
}

/** What gave energy to the motion and what took it; both lists sum to the same, but for the residual. */
export function streams(flow: Flow): { sources: Stream[]; sinks: Stream[] } {
  const all: Stream[] = [
    { name: "kinetic energy", joules: -flow.kinetic, kind: "kinetic" },
    { name: "height", joules: -flow.potential, kind: "potential" },
    ...flow.entries.map((e): Stream => ({ name: e.name, joules: e.delivered, kind: "element" })),
    { name: "impacts", joules: -flow.losses, kind: "events" },
  ];
  const largest = Math.max(...all.map((s) => Math.abs(s.joules)));
  const seen = all.filter((s) => Math.abs(s.joules) > 1e-6 * largest);
  return {
    sources: fewer(seen.filter((s) => s.joules > 0)),
    sinks: fewer(seen.filter((s) => s.joules < 0).map((s) => ({ ...s, joules: -s.joules }))),
  };
}

const MOST_STREAMS = 7;

/** The largest, and the others as one. */
function fewer(list: Stream[]): Stream[] {
  const sorted = [...list].sort((a, b) => b.joules - a.joules);
  if (sorted.length <= MOST_STREAMS) return sorted;
  const others = sorted.splice(MOST_STREAMS - 1);
  const joules = others.reduce((sum, s) => sum + s.joules, 0);
  return [...sorted, { name: `${others.length} others`, joules, kind: "element" }];
}

/** What kind of event a name tells: "footfall (left leg)" is a "footfall", and brackets say which. */
export function kindOf(name: string): string {
  return /^(.*\S) \([^()]*\)$/.exec(name)?.[1] ?? name;
}

/** Times of the events of a name, or of a kind. */
export function timesOf(scene: Scene, event: string): number[] {
  return scene.events.filter(({ name }) => name === event || kindOf(name) === event).map((e) => e.t);
}

/** The stretch between two events of one name or kind that a time lies in. */
export function stepAround(scene: Scene, event: string, time: number): Interval | null {
  const times = timesOf(scene, event);
  const after = times.findIndex((t) => t > time);
  if (after > 0) return { from: times[after - 1]!, to: times[after]! };
  if (after < 0 && times.length >= 2) return { from: times.at(-2)!, to: times.at(-1)! };
  return after === 0 && times.length >= 2 ? { from: times[0]!, to: times[1]! } : null;
}

/** Kinds and names of events that happened at least so often, the most frequent first. */
export function repeatedEvents(scene: Scene, least: number): string[] {
  const counts = new Map<string, number>();
  for (const { name } of scene.events)
    for (const word of new Set([kindOf(name), name])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].filter(([, n]) => n >= least).sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
