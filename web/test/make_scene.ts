// A small scene in the format of the C++ library, for tests that need none of it: a biped that strides along x.

export interface Overrides {
  rows?: number;
  name?: string;
  stride?: number;
  mutate?: (head: Record<string, unknown>) => void;
  value?: (row: number) => number;
}

class Blocks {
  private readonly parts: Uint8Array[] = [];
  private size = 0;
  add(numbers: Float64Array | Float32Array | Uint32Array): number {
    const offset = this.size;
    const padded = new Uint8Array(Math.ceil(numbers.byteLength / 8) * 8);
    padded.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    this.parts.push(padded);
    this.size += padded.length;
    return offset;
  }
  bytes(): Uint8Array {
    const out = new Uint8Array(this.size);
    let at = 0;
    for (const part of this.parts) out.set(part, at), (at += part.length);
    return out;
  }
}

const DT = 1 / 120;
const shape = (kind: string, size: number[], pose: number[]): Record<string, unknown> => ({ kind, size, pose, body: "b", made_up: false, color: null });
const at = (x: number, y: number, z: number): number[] => [x, y, z, 0, 0, 0, 1];

function legPose(x: number, y: number, angle: number): number[] {
  return [x, y, 0.9, 0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
}

export function makeScene(overrides: Overrides = {}): ArrayBuffer {
  const rows = overrides.rows ?? 480;
  const stride = overrides.stride ?? 1;
  const blocks = new Blocks();
  const times = Float64Array.from({ length: rows }, (_, i) => i * DT * stride);
  const list = (f: (i: number) => number): number => blocks.add(Float64Array.from({ length: rows }, (_, i) => f(i)));
  const swing = (i: number): number => 0.45 * Math.sin(2 * Math.PI * 0.9 * times[i]!);
  const column = (name: string, unit: string, group: string, f: (i: number) => number): Record<string, unknown> => {
    const value = list(f);
    return stride === 1 ? { name, unit, group, value } : { name, unit, group, value, low: list((i) => f(i) - 0.5), high: list((i) => f(i) + 0.5) };
  };
  const q = overrides.value ?? swing;
  const table = (name: string, columns: unknown[]): Record<string, unknown> => ({ name, rows, samples: rows * stride, stride, exact: true, time: blocks.add(times), columns });
  const poses = new Float32Array(rows * 24);
  const contacts: number[] = [];
  const first = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; ++i) {
    const x = 0.6 * times[i]!;
    poses.set([...at(x, 0, 0.95 + 0.02 * Math.cos(4 * swing(i))), ...legPose(x, 0.1, swing(i)), ...legPose(x, -0.1, -swing(i)), x, 0, 0.9], 24 * i);
    const side = swing(i) > 0 ? -1 : 1;
    for (const end of [-0.05, 0.09]) contacts.push(-1, side > 0 ? 1 : 2, x + end, 0.1 * side, 0, 20 * swing(i), 0, 150, 0, 0, 1, 0.7);
    first[i + 1] = contacts.length / 12;
  }
  const kinetic = (i: number): number => 6 + 3 * Math.cos(4 * Math.PI * 0.9 * times[i]!);
  const head: Record<string, unknown> = {
    format: "amble scene",
    version: 1,
    name: overrides.name ?? "strider",
    file: "strider.h5",
    complete: true,
    amble: "0.1.0",
    origin: { scenario: "scenarios/strider.toml", settings: ["simulation.duration=4"], seed: 1, command: "" },
    mass: 30,
    gravity: [0, 0, -9.81],
    notes: [],
    links: [
      { name: "world", parent: -1, shapes: [] },
      { name: "trunk", parent: 0, shapes: [shape("box", [0.16, 0.3, 0.5], at(0, 0, 0.3))] },
      { name: "left leg", parent: 1, shapes: [shape("capsule", [0.05, 0.75, 0], at(0, 0, -0.45))] },
      { name: "right leg", parent: 1, shapes: [shape("capsule", [0.05, 0.75, 0], at(0, 0, -0.45))] },
    ],
    joints: [
      { name: "left hip", type: "revolute", link: 2, has_axis: true },
      { name: "right hip", type: "revolute", link: 3, has_axis: true },
    ],
    springs: [],
    tips: [{ name: "right_leg", link: 1, point: [0, 0, -0.5] }],
    states: table("states", [
      column("q:left hip", "rad", "q", q),
      column("v:left hip", "rad/s", "v", (i) => 0.45 * 2 * Math.PI * 0.9 * Math.cos(2 * Math.PI * 0.9 * times[i]!)),
      column("kinetic", "J", "energy", kinetic),
      column("potential", "J", "energy", (i) => 264 - kinetic(i) / 2),
    ]),
    frames: {
      rows,
      columns: 24,
      time: blocks.add(times),
      poses: blocks.add(poses),
      contact_first: blocks.add(first),
      contact_rows: contacts.length / 12,
      contacts: blocks.add(Float32Array.from(contacts)),
    },
    ground: { kind: "plane", pose: at(0, 0, 0) },
    ledger: {
      ...table("ledger", [
        ...["supplied", "delivered", "stored", "dissipated"].map((part, k) => column("hip motor", "J", part, (i) => (k < 2 ? 2 * times[i]! : 0))),
        column("mechanism", "J", "energy", (i) => 264 + kinetic(i) / 2),
        column("events", "J", "losses", (i) => 2 * times[i]! - (kinetic(i) - kinetic(0)) / 2),
      ]),
      initial: 268.5,
      entries: ["hip motor"],
      residual: 0,
      exchanged: 16,
    },
    events: [1, 2, 3, 4, 5, 6].map((k) => ({ t: k * 0.5556, name: k % 2 === 0 ? "left foot touches" : "right foot touches", lost: 1.1 })),
  };
  overrides.mutate?.(head);
  return assemble(JSON.stringify(head), blocks.bytes());
}

export function assemble(head: string, blocks: Uint8Array): ArrayBuffer {
  const text = new TextEncoder().encode(head + " ".repeat((8 - (new TextEncoder().encode(head).length % 8)) % 8));
  const out = new Uint8Array(16 + text.length + blocks.length);
  out.set(new TextEncoder().encode("AMBLESCN"));
  new DataView(out.buffer).setBigUint64(8, BigInt(text.length), true);
  out.set(text, 16);
  out.set(blocks, 16 + text.length);
  return out.buffer;
}

/** A page with a scene in it, as the C++ library makes it. */
export function pageWith(page: string, scene: ArrayBuffer): string {
  return page.replace("<!--scene-->", () => Buffer.from(scene).toString("base64"));
}
