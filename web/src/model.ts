// A model that the page shows: read from the bytes that `model_stream` of the C++ library writes. Nothing in them is
// trusted, as in scene.ts.
import { normalized, type Pose, type Quaternion, type Vector } from "./pose.ts";
import { fail, readHead, Reader, type Json } from "./reader.ts";
import type { Ground, Shape, Spring } from "./scene.ts";

/** Elementary motions, each along or about z; every joint type is a chain of them. */
const MOTIONS = { turn: 1, slide: 1, helix: 1, ball: 4, free: 7, custom: 0 } as const;
export type Motion = keyof typeof MOTIONS;
export const coordinatesOf = (motion: Motion): number => MOTIONS[motion];

export interface Step {
  motion: Motion;
  turn: Quaternion;
}

/** A rigid group of bodies and the joint that moves it. */
export interface ModelLink {
  name: string;
  parent: number;
  pose: Pose; // of the joint on the parent link
  steps: Step[];
  after: Quaternion;
  pitch: number;
  q: number; // the first of its coordinates
  ratio: number;
  offset: number;
  held: Pose | null; // of a custom joint, whose motion is code
}

export interface ModelBody {
  name: string;
  link: number;
  joint: number; // -1: none
  parent: number; // -1: the world
  pose: Pose; // on its link
  mass: number;
  com: Vector;
  moments: Vector;
  axes: Quaternion; // of the principal moments, in the body
  ellipsoid: Vector;
  auxiliary: boolean;
}

export interface ModelJoint {
  name: string;
  type: string;
  parent: number;
  child: number;
  link: number; // -1: fixed
  q: [number, number]; // first and count
  leader: number; // -1: none
  ratio: number;
  offset: number;
  pitch: number;
  axis: Vector | null;
  /** Of single degrees of freedom; null is unlimited. */
  properties: [string, (number | null)[]][];
}

export interface Coordinate {
  name: string;
  unit: string;
  neutral: number;
  lower: number;
  upper: number;
}

export interface ModelFrame {
  name: string;
  body: number;
  link: number;
  pose: Pose;
}

export interface ModelLoop {
  name: string;
  type: string;
  kind: string;
  linkA: number;
  linkB: number;
  poseA: Pose;
  poseB: Pose;
  pitch: number;
  angle: number;
}

export interface ModelShape extends Shape {
  owner: number; // body; -1 is the world
  link: number;
  collision: boolean;
  wire: boolean;
}

export interface Contact {
  linkA: number;
  linkB: number;
  point: Vector;
  normal: Vector;
  distance: number;
}

/** A posture with the poses of all bodies there, as the library computes them. */
export interface Reference {
  q: number[];
  poses: Float64Array;
  com: number[] | null;
  violation: number | null;
}

export interface Model {
  name: string;
  file: string;
  version: string;
  mass: number;
  gravity: number[];
  notes: string[];
  links: ModelLink[];
  bodies: ModelBody[];
  joints: ModelJoint[];
  coordinates: Coordinate[];
  frames: ModelFrame[];
  springs: Spring[];
  loops: ModelLoop[];
  keyframes: { name: string; q: number[] }[];
  q: number[]; // the posture shown first
  shapes: ModelShape[];
  missing: { body: string; file: string; reason: string }[];
  ground: Ground & { kind: "plane" };
  groundWhy: string;
  groundSolid: boolean;
  contacts: Contact[];
  references: Reference[];
}

const PROPERTIES = ["velocity", "effort", "damping", "friction", "armature", "stiffness"];

/** The head of a model, and the fields of its items. */
class ModelReader {
  constructor(
    readonly r: Reader,
    private readonly head: Json,
  ) {}

  items<T>(key: string, make: (item: Json, where: string) => T): T[] {
    return this.r.list(this.head[key], key).map((item, i) => make(this.r.object(item, `${key}[${i}]`), `${key}[${i}]`));
  }
  vector(value: unknown, where: string): Vector {
    return this.r.numbers(value, 3, where) as Vector;
  }
  quaternion(value: unknown, where: string): Quaternion {
    return normalized(this.r.numbers(value, 4, where) as Quaternion);
  }
  pose(value: unknown, where: string): Pose {
    return this.r.numbers(value, 7, where) as Pose;
  }
  /** A place in a list of `count`, or from -1 on where nothing is meant. */
  index(value: unknown, count: number, where: string, least = 0): number {
    const n = this.r.number(value, where);
    return Number.isInteger(n) && n >= least && n < count ? n : fail(`${where} is ${n}, but there are ${count}`);
  }
  orNull(value: unknown, where: string): number | null {
    return value === null ? null : this.r.number(value, where);
  }

  link(item: Json, where: string, place: number, nq: number): ModelLink {
    const { r } = this;
    const steps = r.list(item["steps"], `${where}.steps`).map((value): Step => {
      const step = r.object(value, `a step of ${where}`);
      const motion = r.text(step["motion"], `a motion of ${where}`);
      if (!Object.hasOwn(MOTIONS, motion)) fail(`${where} moves by '${motion}', which this page does not know`);
      return { motion: motion as Motion, turn: this.quaternion(step["turn"], where) };
    });
    const q = r.number(item["q"], `${where}.q`);
    const needs = steps.reduce((sum, step) => sum + coordinatesOf(step.motion), 0);
    if (needs > 0) this.index(q, nq - needs + 1, `${where}.q`);
    const held = item["held"] === undefined ? null : this.pose(item["held"], `${where}.held`);
    return {
      name: r.text(item["name"], `${where}.name`),
      parent: this.index(item["parent"], Math.max(place, 1), `${where}.parent`, place === 0 ? -1 : 0),
      pose: this.pose(item["pose"], `${where}.pose`),
      steps,
      after: this.quaternion(item["after"], `${where}.after`),
      pitch: r.number(item["pitch"], `${where}.pitch`),
      q,
      ratio: r.number(item["ratio"], `${where}.ratio`),
      offset: r.number(item["offset"], `${where}.offset`),
      held,
    };
  }

  body(item: Json, where: string, links: number, bodies: number, joints: number): ModelBody {
    const { r } = this;
    return {
      name: r.text(item["name"], `${where}.name`),
      link: this.index(item["link"], links, `${where}.link`),
      joint: this.index(item["joint"], joints, `${where}.joint`, -1),
      parent: this.index(item["parent"], bodies, `${where}.parent`, -1),
      pose: this.pose(item["pose"], `${where}.pose`),
      mass: r.number(item["mass"], `${where}.mass`),
      com: this.vector(item["com"], `${where}.com`),
      moments: this.vector(item["moments"], `${where}.moments`),
      axes: this.quaternion(item["axes"], `${where}.axes`),
      ellipsoid: this.vector(item["ellipsoid"], `${where}.ellipsoid`),
      auxiliary: item["auxiliary"] === true,
    };
  }

  joint(item: Json, where: string, counts: { links: number; bodies: number; joints: number; nq: number }): ModelJoint {
    const { r } = this;
    const [first, size] = r.numbers(item["q"], 2, `${where}.q`) as [number, number];
    if (!(size >= 0 && size <= 7)) fail(`${where} has ${size} coordinates`);
    if (size > 0) this.index(first, counts.nq - size + 1, `${where}.q`);
    const list = (key: string): (number | null)[] => r.list(item[key], `${where}.${key}`).map((x) => this.orNull(x, `${where}.${key}`));
    return {
      name: r.text(item["name"], `${where}.name`),
      type: r.text(item["type"], `${where}.type`),
      parent: this.index(item["parent"], counts.bodies, `${where}.parent`, -1),
      child: this.index(item["child"], counts.bodies, `${where}.child`, -1),
      link: this.index(item["link"], counts.links, `${where}.link`, -1),
      q: [first, size],
      leader: this.index(item["leader"], counts.joints, `${where}.leader`, -1),
      ratio: r.number(item["ratio"], `${where}.ratio`),
      offset: r.number(item["offset"], `${where}.offset`),
      pitch: r.number(item["pitch"], `${where}.pitch`),
      axis: item["axis"] === null ? null : this.vector(item["axis"], `${where}.axis`),
      properties: PROPERTIES.filter((key) => item[key] !== undefined).map((key) => [key, list(key)]),
    };
  }

  coordinate(item: Json, where: string): Coordinate {
    const { r } = this;
    return {
      name: r.text(item["name"], `${where}.name`),
      unit: r.text(item["unit"], `${where}.unit`),
      neutral: r.number(item["neutral"], `${where}.neutral`),
      lower: this.orNull(item["lower"], `${where}.lower`) ?? -Infinity,
      upper: this.orNull(item["upper"], `${where}.upper`) ?? Infinity,
    };
  }

  /** Corners are whole numbers of a step. */
  mesh(item: Json, where: string): { corners: Float32Array; faces: Uint32Array } {
    const { r } = this;
    const low = this.vector(item["low"], `${where}.low`);
    const step = this.vector(item["step"], `${where}.step`);
    const count = r.count(item["corner_count"], `${where}.corner_count`);
    const faceCount = r.count(item["face_count"], `${where}.face_count`);
    const whole = r.u16(item["corners"], 3 * count, where);
    const corners = Float32Array.from(whole, (n, i) => low[i % 3]! + step[i % 3]! * n);
    const faces = item["wide"] === true ? r.u32(item["faces"], 3 * faceCount, where) : Uint32Array.from(r.u16(item["faces"], 3 * faceCount, where));
    if (faces.some((corner) => corner >= count)) fail(`${where} has a face without corners`);
    return { corners, faces };
  }

  shape(item: Json, where: string, meshes: { corners: Float32Array; faces: Uint32Array }[], links: number, bodies: ModelBody[]): ModelShape {
    const { r } = this;
    const owner = this.index(item["body"], bodies.length, `${where}.body`, -1);
    const shape: ModelShape = {
      kind: r.text(item["kind"], `${where}.kind`),
      size: this.vector(item["size"], `${where}.size`),
      pose: this.pose(item["pose"], `${where}.pose`),
      body: bodies[owner]?.name ?? "world",
      owner,
      link: this.index(item["link"], links, `${where}.link`),
      madeUp: item["made_up"] === true,
      wire: item["wire"] === true,
      collision: item["collision"] === true,
      color: item["color"] === null ? null : r.numbers(item["color"], 4, `${where}.color`),
    };
    if (item["mesh"] !== undefined) Object.assign(shape, scaled(meshes[this.index(item["mesh"], meshes.length, `${where}.mesh`)]!, shape.size));
    return shape;
  }

  loop(item: Json, where: string, links: number): ModelLoop {
    const { r } = this;
    return {
      name: r.text(item["name"], `${where}.name`),
      type: r.text(item["type"], `${where}.type`),
      kind: r.text(item["kind"], `${where}.kind`),
      linkA: this.index(item["link_a"], links, `${where}.link_a`),
      linkB: this.index(item["link_b"], links, `${where}.link_b`),
      poseA: this.pose(item["pose_a"], `${where}.pose_a`),
      poseB: this.pose(item["pose_b"], `${where}.pose_b`),
      pitch: r.number(item["pitch"], `${where}.pitch`),
      angle: r.number(item["angle"], `${where}.angle`),
    };
  }

  spring(item: Json, where: string, links: number): Spring {
    return {
      name: this.r.text(item["name"], `${where}.name`),
      linkA: this.index(item["link_a"], links, `${where}.link_a`),
      pointA: this.vector(item["point_a"], `${where}.point_a`),
      linkB: this.index(item["link_b"], links, `${where}.link_b`),
      pointB: this.vector(item["point_b"], `${where}.point_b`),
    };
  }

  contact(item: Json, where: string, links: number): Contact {
    return {
      linkA: this.index(item["link_a"], links, `${where}.link_a`),
      linkB: this.index(item["link_b"], links, `${where}.link_b`),
      point: this.vector(item["point"], `${where}.point`),
      normal: this.vector(item["normal"], `${where}.normal`),
      distance: this.r.number(item["distance"], `${where}.distance`),
    };
  }

  reference(item: Json, where: string, nq: number, bodies: number): Reference {
    return {
      q: this.r.numbers(item["q"], nq, `${where}.q`),
      poses: this.r.f64(item["poses"], 7 * bodies, `${where}.poses`),
      com: item["com"] === null ? null : this.vector(item["com"], `${where}.com`),
      violation: this.orNull(item["violation"], `${where}.violation`),
    };
  }
}

/** A mesh in the size that a shape has it; a mirrored one is turned inside out again. */
function scaled(mesh: { corners: Float32Array; faces: Uint32Array }, scale: Vector): { corners: Float32Array; faces: Uint32Array } {
  const corners = scale.every((s) => s === 1) ? mesh.corners : mesh.corners.map((x, i) => x * scale[i % 3]!);
  if (scale[0] * scale[1] * scale[2] >= 0) return { corners, faces: mesh.faces };
  const faces = mesh.faces.slice();
  for (let i = 0; i < faces.length; i += 3) [faces[i], faces[i + 1]] = [faces[i + 1]!, faces[i]!];
  return { corners, faces };
}

export function isModel(buffer: ArrayBuffer): boolean {
  return readHead(buffer).head["format"] === "amble model";
}

export function readModel(buffer: ArrayBuffer): Model {
  const { head, base } = readHead(buffer);
  const r = new Reader(buffer, base);
  if (head["format"] !== "amble model" || head["version"] !== 1) fail("the model is of a format that this page does not know");
  const m = new ModelReader(r, head);
  const count = (key: string): number => r.list(head[key], key).length;
  const counts = { links: count("links"), bodies: count("bodies"), joints: count("joints"), nq: count("coordinates") };
  if (counts.links === 0) fail("the model has no links, not even the world");
  let place = 0;
  const links = m.items("links", (item, where) => m.link(item, where, place++, counts.nq));
  const bodies = m.items("bodies", (item, where) => m.body(item, where, counts.links, counts.bodies, counts.joints));
  const meshes = m.items("meshes", (item, where) => m.mesh(item, where));
  const ground = r.object(head["ground"], "ground");
  return {
    name: r.text(head["name"], "name"),
    file: r.text(head["file"], "file"),
    version: r.text(head["amble"], "amble"),
    mass: r.number(head["mass"], "mass"),
    gravity: r.numbers(head["gravity"], 3, "gravity"),
    notes: r.list(head["notes"], "notes").map((x) => r.text(x, "a note")),
    links,
    bodies,
    joints: m.items("joints", (item, where) => m.joint(item, where, counts)),
    coordinates: m.items("coordinates", (item, where) => m.coordinate(item, where)),
    frames: m.items("frames", (item, where) => ({
      name: r.text(item["name"], `${where}.name`),
      body: m.index(item["body"], counts.bodies, `${where}.body`, -1),
      link: m.index(item["link"], counts.links, `${where}.link`),
      pose: m.pose(item["pose"], `${where}.pose`),
    })),
    springs: m.items("springs", (item, where) => m.spring(item, where, counts.links)),
    loops: m.items("loops", (item, where) => m.loop(item, where, counts.links)),
    keyframes: m.items("keyframes", (item, where) => ({ name: r.text(item["name"], `${where}.name`), q: r.numbers(item["q"], counts.nq, `${where}.q`) })),
    q: r.numbers(head["q"], counts.nq, "q"),
    shapes: m.items("shapes", (item, where) => m.shape(item, where, meshes, counts.links, bodies)),
    missing: m.items("missing", (item, where) => ({
      body: r.text(item["body"], `${where}.body`),
      file: r.text(item["file"], `${where}.file`),
      reason: r.text(item["reason"], `${where}.reason`),
    })),
    ground: { kind: "plane", pose: m.pose(ground["pose"], "ground.pose") },
    groundWhy: r.text(ground["why"], "ground.why"),
    groundSolid: ground["solid"] === true,
    contacts: m.items("contacts", (item, where) => m.contact(item, where, counts.links)),
    references: m.items("references", (item, where) => m.reference(item, where, counts.nq, counts.bodies)),
  };
}
