import { agreement, bodyPose, centerOfMass, closeLoops, linkPoses, loopViolation, type JointAxis } from "./kinematics.ts";
import type { Model } from "./model.ts";
import { transform, type Pose, type Vector } from "./pose.ts";
import type { Scene } from "./scene.ts";

/** Violations smaller than this are rounding (m, rad). */
const CLOSED = 1e-6;

/** What is chosen, by its place in the model. */
export type Selection = { kind: "body" | "joint" | "frame"; index: number } | null;

/** The posture of a model and what follows from it. */
export class ModelState {
  q: number[];
  links: Pose[] = [];
  axes: JointAxis[] = [];
  com: Vector | null = null;
  violation = 0;
  selection: Selection = null;
  keepLoops: boolean;
  readonly agreement: number;
  /** How far things of the model are apart, for ranges of what has no limits (m). */
  readonly reach: number;
  private quiet = false;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly model: Model) {
    this.q = model.q.slice();
    this.keepLoops = model.loops.length > 0;
    this.agreement = agreement(model);
    this.update();
    this.reach = this.measure();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  private tell(): void {
    if (this.quiet) return;
    for (const listener of this.listeners) listener();
  }

  private update(): void {
    this.axes = [];
    this.links = linkPoses(this.model, this.q, this.axes);
    this.com = centerOfMass(this.model, this.links);
    this.violation = loopViolation(this.model, this.links);
  }

  setPosture(q: readonly number[]): void {
    this.q = q.slice();
    this.update();
    this.tell();
  }

  /** Moves coordinates from `first` on; loops follow when they shall. */
  setCoordinates(first: number, values: readonly number[]): void {
    this.q = this.q.slice();
    values.forEach((value, k) => (this.q[first + k] = value));
    if (!this.quiet) this.closeLoops(first);
  }

  /** Where they shall be closed; the coordinate `held` stays. */
  closeLoops(held = -1): void {
    if (this.keepLoops && this.model.loops.length > 0) this.q = closeLoops(this.model, this.q, held);
    this.update();
    this.tell();
  }

  /** Changes many coordinates and tells of it once; loops are left as they are. */
  quietly(change: () => void): void {
    this.quiet = true;
    try {
      change();
    } finally {
      this.quiet = false;
      this.update();
      this.tell();
    }
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.tell();
  }

  get isOpen(): boolean {
    return this.violation > CLOSED;
  }
  get isFirst(): boolean {
    return this.q.every((x, i) => Math.abs(x - this.model.q[i]!) < 1e-12);
  }
  /** Coordinates that are outside their limits. */
  get violated(): number[] {
    const slack = 1e-9;
    return this.model.coordinates.flatMap(({ lower, upper }, i) => (this.q[i]! < lower - slack || this.q[i]! > upper + slack ? [i] : []));
  }
  /** Height of the center of mass over the ground, straight down. */
  get groundHeight(): number {
    return this.model.ground.pose[2];
  }

  bodyPose(body: number): Pose {
    return bodyPose(this.model, this.links, body);
  }

  private measure(): number {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    this.model.bodies.forEach((b, i) => {
      for (const p of [transform(this.bodyPose(i), b.com), transform(this.bodyPose(i), [0, 0, 0])])
        p.forEach((x, k) => ((low[k] = Math.min(low[k]!, x)), (high[k] = Math.max(high[k]!, x))));
    });
    const size = Math.hypot(...high.map((x, k) => x - low[k]!));
    return Number.isFinite(size) && size > 1e-6 ? Number(size.toPrecision(1)) : 1;
  }
}

/** The scene of a single picture, for the 3D view that recordings have. */
export function sceneOf(model: Model): Scene {
  const table = { rows: 0, samples: 0, stride: 1, t: new Float64Array(0), columns: [] };
  const columns = 7 * (model.links.length - 1) + 3;
  return {
    name: model.name,
    file: model.file,
    complete: true,
    version: model.version,
    origin: { scenario: "", settings: [], seed: 0, command: "" },
    mass: model.mass,
    gravity: model.gravity,
    notes: model.notes,
    links: model.links.map(({ name, parent }) => ({ name, parent, shapes: [] })),
    joints: [],
    springs: model.springs,
    tips: [],
    ground: model.ground,
    states: table,
    ledger: { ...table, entries: [], initial: 0, residual: 0, exchanged: 0 },
    frames: {
      rows: 1,
      columns,
      t: new Float64Array(1),
      poses: new Float32Array(columns),
      contactFirst: new Uint32Array(2),
      contacts: new Float32Array(0),
    },
    events: [],
  };
}

/** Puts the posture into the picture. */
export function pose(scene: Scene, state: ModelState): void {
  const { poses } = scene.frames;
  state.links.slice(1).forEach((X, i) => poses.set(X, 7 * i));
  poses.set(state.com ?? [0, 0, 0], poses.length - 3);
}
