// A small model in the format of the C++ library: an arm of two links whose tip a loop holds to a slider.
import { assemble } from "./make_scene.ts";

type Head = Record<string, unknown>;

const at = (x: number, y: number, z: number): number[] => [x, y, z, 0, 0, 0, 1];
const NO_TURN = [0, 0, 0, 1];
const link = (name: string, parent: number, pose: number[], motion: string | null, q: number): Head => ({
  name,
  parent,
  pose,
  q,
  ratio: 1,
  offset: 0,
  pitch: 0,
  steps: motion === null ? [] : [{ motion, turn: NO_TURN }],
  after: NO_TURN,
});
const body = (name: string, index: number): Head => ({
  name,
  link: index,
  joint: index - 1,
  parent: index - 2,
  pose: at(0, 0, 0),
  auxiliary: false,
  mass: 1,
  com: [0.5, 0, 0],
  moments: [0.01, 0.02, 0.02],
  axes: NO_TURN,
  ellipsoid: [0.27, 0.16, 0.16],
});
const joint = (name: string, index: number): Head => ({
  name,
  type: "revolute",
  parent: index - 1,
  child: index,
  link: index + 1,
  q: [index, 1],
  leader: -1,
  ratio: 1,
  offset: 0,
  pitch: 0,
  axis: [0, 0, 1],
  velocity: [null],
  effort: [10],
  damping: [0],
  friction: [0],
  armature: [0],
  stiffness: [0],
});
const shape = (kind: string, index: number, size: number[], collision: boolean): Head => ({
  kind,
  size,
  pose: at(0.5, 0, 0),
  body: index,
  link: index + 1,
  collision,
  made_up: false,
  wire: false,
  color: collision ? null : [0.8, 0.2, 0.1, 1],
});

export function makeModel(mutate: (head: Head) => void = () => {}): ArrayBuffer {
  const poses = Float64Array.from([...at(0, 0, 0), 1, 0, 0, 0, 0, 0, 1]);
  const head: Head = {
    format: "amble model",
    version: 1,
    name: "arm",
    file: "arm.urdf",
    amble: "0.1.0",
    mass: 2,
    gravity: [0, 0, -9.81],
    notes: [],
    links: [link("world", -1, at(0, 0, 0), null, -1), link("upper", 0, at(0, 0, 0), "turn", 0), link("lower", 1, at(1, 0, 0), "turn", 1)],
    bodies: [body("upper", 1), body("lower", 2)],
    joints: [joint("shoulder", 0), joint("elbow", 1)],
    coordinates: [
      { name: "shoulder", unit: "rad", neutral: 0, lower: -1, upper: 1 },
      { name: "elbow", unit: "rad", neutral: 0, lower: null, upper: null },
    ],
    frames: [{ name: "tip", body: 1, link: 2, pose: at(1, 0, 0) }],
    springs: [],
    loops: [],
    keyframes: [{ name: "bent", q: [0.5, -1] }],
    q: [0, 0],
    shapes: [shape("box", 0, [1, 0.1, 0.1], false), shape("capsule", 1, [0.05, 0.9, 0], false), shape("box", 1, [1, 0.1, 0.1], true)],
    meshes: [],
    missing: [],
    ground: { pose: at(0, 0, 0), why: "z = 0", solid: true },
    contacts: [],
    references: [{ q: [0, 0], poses: 0, com: [1, 0, 0], violation: null }],
  };
  mutate(head);
  return assemble(JSON.stringify(head), new Uint8Array(poses.buffer));
}
