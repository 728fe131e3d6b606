// The scene that the page shows: read from the bytes that `scene_stream` of the C++ library writes. Nothing in them is
// trusted: whatever does not fit is an error in words, numbers that are not finite are gaps and counted.
import { fail, readHead, Reader, SceneError, type Numbers } from "./reader.ts";

export { SceneError };
export type { Numbers };

export interface Column {
  name: string;
  unit: string;
  group: string;
  value: Numbers;
  /** The extremes of the samples that a row stands for; the value itself when it stands for one. */
  low: Numbers;
  high: Numbers;
}

export interface Table {
  rows: number;
  samples: number;
  stride: number;
  t: Float64Array;
  columns: Column[];
}

export interface Ledger extends Table {
  entries: string[];
  initial: number;
  residual: number;
  exchanged: number;
}

export interface Shape {
  kind: string;
  size: [number, number, number];
  pose: number[];
  body: string;
  madeUp: boolean;
  color: number[] | null;
  corners?: Float32Array;
  faces?: Uint32Array;
}

export interface Link {
  name: string;
  parent: number;
  shapes: Shape[];
}

export interface Joint {
  name: string;
  type: string;
  link: number;
  hasAxis: boolean;
}

/** A place on a link whose way is drawn: a foot, a hand. */
export interface Tip {
  name: string;
  link: number;
  point: number[];
}

export interface Spring {
  name: string;
  linkA: number;
  pointA: number[];
  linkB: number;
  pointB: number[];
}

export type Ground =
  | { kind: "plane"; pose: number[] }
  | { kind: "heights"; x: number; y: number; spacing: number; columns: number; rows: number; heights: Float32Array };

export interface Frames {
  rows: number;
  columns: number;
  t: Float64Array;
  /** For each frame the poses of all links but the world (x, y, z, qx, qy, qz, qw), then the centre of mass. */
  poses: Float32Array;
  /** Where the contacts of each frame begin, and where those of the last end. */
  contactFirst: Uint32Array;
  contacts: Float32Array;
}

/** Numbers of a contact: bodies a and b, point (3), force of a on b (3), normal out of a (3), friction. */
export const CONTACT_COLUMNS = 12;

export interface SceneEvent {
  t: number;
  name: string;
  lost: number;
}

export interface Scene {
  name: string;
  file: string;
  complete: boolean;
  version: string;
  origin: { scenario: string; settings: string[]; seed: number; command: string };
  mass: number;
  gravity: number[];
  notes: string[];
  links: Link[];
  joints: Joint[];
  springs: Spring[];
  tips: Tip[];
  ground: Ground | null;
  states: Table;
  ledger: Ledger;
  frames: Frames;
  events: SceneEvent[];
}

function readTable(r: Reader, value: unknown, where: string): Table {
  const table = r.object(value, where);
  const rows = r.count(table["rows"], `${where}.rows`);
  const exact = table["exact"] === true;
  const stride = Math.max(1, r.count(table["stride"], `${where}.stride`));
  const list = (offset: unknown, what: string): Numbers =>
    r.counted(exact ? r.f64(offset, rows, what) : r.f32(offset, rows, what));
  const columns = r.list(table["columns"], `${where}.columns`).map((item, i): Column => {
    const column = r.object(item, `${where}.columns[${i}]`);
    const name = r.text(column["name"], `the name of a column of ${where}`);
    const what = `'${name}' of ${where}`;
    const valueList = list(column["value"], what);
    return {
      name,
      unit: r.text(column["unit"], `the unit of ${what}`),
      group: r.text(column["group"], `the group of ${what}`),
      value: valueList,
      low: stride > 1 ? list(column["low"], what) : valueList,
      high: stride > 1 ? list(column["high"], what) : valueList,
    };
  });
  const t = r.times(table["time"], rows, `the time of ${where}`);
  return { rows, stride, samples: r.count(table["samples"], `${where}.samples`), t, columns };
}

function readLedger(r: Reader, value: unknown): Ledger {
  const head = r.object(value, "ledger");
  const entries = r.list(head["entries"], "ledger.entries").map((x) => r.text(x, "a name of the ledger"));
  const table = readTable(r, value, "ledger");
  if (table.columns.length !== 4 * entries.length + 2) fail("the ledger has columns that do not fit its entries");
  const number = (key: string): number => (head[key] === null ? NaN : r.number(head[key], `ledger.${key}`));
  return { ...table, entries, initial: number("initial"), residual: number("residual"), exchanged: number("exchanged") };
}

function readShape(r: Reader, value: unknown, where: string): Shape {
  const item = r.object(value, where);
  const shape: Shape = {
    kind: r.text(item["kind"], `${where}.kind`),
    size: r.numbers(item["size"], 3, `${where}.size`) as [number, number, number],
    pose: r.numbers(item["pose"], 7, `${where}.pose`),
    body: r.text(item["body"], `${where}.body`),
    madeUp: item["made_up"] === true,
    color: item["color"] === null ? null : r.numbers(item["color"], 4, `${where}.color`),
  };
  if (item["mesh"] !== undefined) {
    const mesh = r.object(item["mesh"], `${where}.mesh`);
    const corners = r.count(mesh["corner_count"], `${where}.mesh`);
    shape.corners = r.f32(mesh["corners"], 3 * corners, `${where}.mesh`);
    shape.faces = r.u32(mesh["faces"], 3 * r.count(mesh["face_count"], `${where}.mesh`), `${where}.mesh`);
    if (shape.faces.some((corner) => corner >= corners)) fail(`${where} has a face without corners`);
  }
  return shape;
}

function readLinks(r: Reader, value: unknown): Link[] {
  return r.list(value, "links").map((item, i): Link => {
    const link = r.object(item, `links[${i}]`);
    const name = r.text(link["name"], `links[${i}].name`);
    const shapes = r.list(link["shapes"], `the shapes of '${name}'`);
    return {
      name,
      parent: r.number(link["parent"], `the parent of '${name}'`),
      shapes: shapes.map((shape, k) => readShape(r, shape, `shape ${k} of '${name}'`)),
    };
  });
}

function linkIndex(r: Reader, value: unknown, links: number, where: string): number {
  const index = r.count(value, where);
  return index < links ? index : fail(`${where} is ${index}, but there are ${links} links`);
}

function readFrames(r: Reader, value: unknown, links: number): Frames {
  const head = r.object(value, "frames");
  const rows = r.count(head["rows"], "frames.rows");
  const columns = r.count(head["columns"], "frames.columns");
  if (columns !== 7 * (links - 1) + 3) fail(`frames have ${columns} numbers, which does not fit ${links} links`);
  const contactRows = r.count(head["contact_rows"], "frames.contact_rows");
  const contactFirst = r.u32(head["contact_first"], rows + 1, "frames.contact_first");
  if (contactFirst.some((first, i) => first > contactRows || (i > 0 && first < contactFirst[i - 1]!)))
    fail("the contacts of frames are not in order");
  return {
    rows,
    columns,
    t: r.times(head["time"], rows, "the time of frames"),
    poses: r.counted(r.f32(head["poses"], rows * columns, "poses")),
    contactFirst,
    contacts: r.f32(head["contacts"], contactRows * CONTACT_COLUMNS, "contacts"),
  };
}

function readGround(r: Reader, value: unknown): Ground | null {
  if (value === null || value === undefined) return null;
  const head = r.object(value, "ground");
  if (head["kind"] === "plane") return { kind: "plane", pose: r.numbers(head["pose"], 7, "ground.pose") };
  if (head["kind"] !== "heights") fail("the ground is of a kind that is not known");
  const columns = r.count(head["columns"], "ground.columns");
  const rows = r.count(head["rows"], "ground.rows");
  return {
    kind: "heights",
    x: r.number(head["x"], "ground.x"),
    y: r.number(head["y"], "ground.y"),
    spacing: r.number(head["spacing"], "ground.spacing"),
    columns,
    rows,
    heights: r.counted(r.f32(head["heights"], columns * rows, "heights of the ground")),
  };
}

export function readScene(buffer: ArrayBuffer): Scene {
  const { head, base } = readHead(buffer);
  const r = new Reader(buffer, base);
  if (head["format"] !== "amble scene" || head["version"] !== 1)
    fail("the scene is of a format that this page does not know");
  const links = readLinks(r, head["links"]);
  if (links.length === 0) fail("the scene has no links, not even the world");
  const origin = r.object(head["origin"], "origin");
  const scene: Scene = {
    name: r.text(head["name"], "name"),
    file: r.text(head["file"], "file"),
    complete: head["complete"] === true,
    version: r.text(head["amble"], "amble"),
    origin: {
      scenario: r.text(origin["scenario"], "origin.scenario"),
      settings: r.list(origin["settings"], "origin.settings").map((x) => r.text(x, "a setting")),
      seed: r.number(origin["seed"], "origin.seed"),
      command: r.text(origin["command"], "origin.command"),
    },
    mass: r.number(head["mass"], "mass"),
    gravity: r.numbers(head["gravity"], 3, "gravity"),
    notes: r.list(head["notes"], "notes").map((x) => r.text(x, "a note")),
    links,
    joints: r.list(head["joints"], "joints").map((item): Joint => {
      const joint = r.object(item, "a joint");
      const name = r.text(joint["name"], "the name of a joint");
      return {
        name,
        type: r.text(joint["type"], `the type of '${name}'`),
        link: linkIndex(r, joint["link"], links.length, `the link of '${name}'`),
        hasAxis: joint["has_axis"] === true,
      };
    }),
    springs: r.list(head["springs"], "springs").map((item): Spring => {
      const spring = r.object(item, "a spring");
      const name = r.text(spring["name"], "the name of a spring");
      return {
        name,
        linkA: linkIndex(r, spring["link_a"], links.length, `an end of '${name}'`),
        pointA: r.numbers(spring["point_a"], 3, `an end of '${name}'`),
        linkB: linkIndex(r, spring["link_b"], links.length, `an end of '${name}'`),
        pointB: r.numbers(spring["point_b"], 3, `an end of '${name}'`),
      };
    }),
    tips: r.list(head["tips"], "tips").map((item): Tip => {
      const tip = r.object(item, "a tip");
      const name = r.text(tip["name"], "the name of a tip");
      return { name, link: linkIndex(r, tip["link"], links.length, `the link of '${name}'`), point: r.numbers(tip["point"], 3, `the place of '${name}'`) };
    }),
    ground: readGround(r, head["ground"]),
    states: readTable(r, head["states"], "states"),
    ledger: readLedger(r, head["ledger"]),
    frames: readFrames(r, head["frames"], links.length),
    events: r.list(head["events"], "events").map((item): SceneEvent => {
      const event = r.object(item, "an event");
      const lost = event["lost"];
      return {
        t: r.number(event["t"], "the time of an event"),
        name: r.text(event["name"], "the name of an event"),
        lost: typeof lost === "number" ? lost : 0,
      };
    }),
  };
  if (r.notFinite > 0) scene.notes.push(`${r.notFinite} numbers are not finite: they are gaps here`);
  return scene;
}

// ---- a scene that grows

function joined<T extends Numbers | Uint32Array>(a: T, b: T): T {
  const out = new (a.constructor as new (length: number) => T)(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** Rows of a live table may come as other kinds of numbers than before: then all become double. */
function joinedNumbers(a: Numbers, b: Numbers): Numbers {
  if (a.constructor === b.constructor) return joined(a, b);
  return joined(Float64Array.from(a), Float64Array.from(b));
}

/** A signal that has come new, as the force on a body that touches something for the first time: it was zero. */
function newColumn(column: Column, rows: number): Column {
  const none = new Float64Array(rows);
  return { ...column, value: none, low: none, high: none };
}

function grownTable<T extends Table>(a: T, b: T): T {
  const before = new Map(a.columns.map((column) => [`${column.name} ${column.group}`, column]));
  if (a.columns.length > b.columns.length) fail("the recording has other columns than before: load the page again");
  const columns = b.columns.map((more): Column => {
    const column = before.get(`${more.name} ${more.group}`) ?? newColumn(more, a.rows);
    const value = joinedNumbers(column.value, more.value);
    if (column.low === column.value && more.low === more.value) return { ...column, value, low: value, high: value };
    return { ...column, value, low: joinedNumbers(column.low, more.low), high: joinedNumbers(column.high, more.high) };
  });
  return { ...b, stride: a.stride, rows: a.rows + b.rows, samples: a.samples + b.samples, t: joined(a.t, b.t), columns };
}

/** What was there before and what came later. */
export function grown(a: Scene, b: Scene): Scene {
  const first = b.frames.contactFirst.subarray(1).map((x) => x + a.frames.contacts.length / CONTACT_COLUMNS);
  return {
    ...b,
    links: a.links,
    ground: a.ground,
    notes: a.notes,
    states: grownTable(a.states, b.states),
    ledger: grownTable(a.ledger, b.ledger),
    events: [...a.events, ...b.events],
    frames: {
      rows: a.frames.rows + b.frames.rows,
      columns: a.frames.columns,
      t: joined(a.frames.t, b.frames.t),
      poses: joined(a.frames.poses, b.frames.poses),
      contactFirst: joined(a.frames.contactFirst, first),
      contacts: joined(a.frames.contacts, b.frames.contacts),
    },
  };
}

/** The last row at or before a time; 0 before the first. */
export function rowAt(t: Float64Array, time: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
