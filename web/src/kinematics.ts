// Poses of a model at any posture, computed in the page. The library sends the poses of a few postures along, and
// agreement() compares: two routes to the same numbers.
import { coordinatesOf, type Model, type ModelLink, type ModelLoop } from "./model.ts";
import { aboutZ, axisOf, compose, dot, inverse, multiply, normalized, placeOf, poseOf, transform, turnOf, type Pose, type Quaternion, type Vector } from "./pose.ts";

/** One elementary motion along or about z. */
function moved(link: ModelLink, motion: ModelLink["steps"][number]["motion"], q: ArrayLike<number>, at: number): Pose {
  const x = link.ratio * q[at]! + link.offset; // of joints with one coordinate that follow another; else ratio is 1
  switch (motion) {
    case "turn":
      return poseOf([0, 0, 0], aboutZ(x));
    case "slide":
      return poseOf([0, 0, x], [0, 0, 0, 1]);
    case "helix":
      return poseOf([0, 0, link.pitch * x], aboutZ(x));
    case "ball":
      return poseOf([0, 0, 0], normalized([q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!]));
    case "free":
      return poseOf([q[at]!, q[at + 1]!, q[at + 2]!], normalized([q[at + 3]!, q[at + 4]!, q[at + 5]!, q[at + 6]!]));
    case "custom":
      return link.held ?? [0, 0, 0, 0, 0, 0, 1];
  }
}

/** Where a link's joint stands with its axes, before each of its motions. */
export interface JointAxis {
  link: number;
  pose: Pose;
}

/** Poses of all links in the world; `axes` gets the frames whose z each joint turns about or slides along. */
export function linkPoses(model: Model, q: ArrayLike<number>, axes: JointAxis[] = []): Pose[] {
  const out: Pose[] = [];
  model.links.forEach((link, i) => {
    const parent = out[link.parent];
    let X: Pose = parent ? compose(parent, link.pose) : link.pose;
    let at = link.q;
    for (const { motion, turn } of link.steps) {
      X = compose(X, poseOf([0, 0, 0], turn));
      if (motion === "turn" || motion === "slide" || motion === "helix") axes.push({ link: i, pose: X });
      X = compose(X, moved(link, motion, q, at));
      at += coordinatesOf(motion);
    }
    out.push(poseOf(placeOf(X), multiply(turnOf(X), link.after)));
  });
  return out;
}

export function bodyPose(model: Model, links: Pose[], body: number): Pose {
  const b = model.bodies[body]!;
  return compose(links[b.link]!, b.pose);
}

export function centerOfMass(model: Model, links: Pose[]): Vector | null {
  const sum: Vector = [0, 0, 0];
  let mass = 0;
  model.bodies.forEach((b, i) => {
    const c = transform(bodyPose(model, links, i), b.com);
    for (const k of [0, 1, 2] as const) sum[k] += b.mass * c[k];
    mass += b.mass;
  });
  return mass > 0 ? [sum[0] / mass, sum[1] / mass, sum[2] / mass] : null;
}

// ---- loops

type Row = (a: Pose, b: Pose, X: Pose, loop: ModelLoop) => number;

const place = (k: 0 | 1 | 2): Row => (_a, _b, X) => X[k];
const tilt = (k: 0 | 1): Row => (_a, _b, X) => axisOf(turnOf(X), 2)[k];
/** The antisymmetric part of the rotation matrix: sin(angle) times the axis. */
const turn = (k: 0 | 1 | 2): Row => (_a, _b, X) => 2 * X[3 + k]! * X[6];
const pitch: Row = (_a, _b, X, { pitch: p }) => {
  const x = axisOf(turnOf(X), 0);
  const rest = (Math.atan2(x[1], x[0]) - X[2] / p) / (2 * Math.PI);
  return -p * 2 * Math.PI * (rest - Math.round(rest));
};
const universal: Row = (_a, _b, X, { angle }) => dot([0, 0, 1], rotateSecond(turnOf(X), angle)) - Math.cos(angle);
const rotateSecond = (q: Quaternion, angle: number): Vector => transform(poseOf([0, 0, 0], q), [Math.sin(angle), 0, Math.cos(angle)]);

const PLACES = [place(0), place(1), place(2)];
const TURNS = [turn(0), turn(1), turn(2)];
const TILTS = [tilt(0), tilt(1)];

/** What each type of joint demands of the second frame, seen from the first; the same rows as the library's. */
const ROWS: ReadonlyMap<string, Row[]> = new Map<string, Row[]>([
  ["fixed", [...PLACES, ...TURNS]],
  ["revolute", [...PLACES, ...TILTS]],
  ["prismatic", [place(0), place(1), ...TURNS]],
  ["cylindrical", [place(0), place(1), ...TILTS]],
  ["helical", [place(0), place(1), ...TILTS, pitch]],
  ["universal", [...PLACES, universal]],
  ["planar", [place(2), ...TILTS]],
  ["spherical", PLACES],
  ["free", []],
]);

/** What is missing until loops are closed (m, or sines of angles); null for a loop whose joint is code. */
export function loopRows(loop: ModelLoop, links: Pose[]): number[] | null {
  const rows = ROWS.get(loop.kind);
  if (rows === undefined) return null;
  const a = compose(links[loop.linkA]!, loop.poseA);
  const b = compose(links[loop.linkB]!, loop.poseB);
  const X = compose(inverse(a), b);
  return rows.map((row) => row(a, b, X, loop));
}

export function loopViolation(model: Model, links: Pose[]): number {
  return Math.max(0, ...model.loops.flatMap((loop) => loopRows(loop, links) ?? []).map(Math.abs));
}

/** Solves A x = b for a symmetric positive definite A by Cholesky's factors, in place. */
function solvePositive(A: Float64Array[], b: Float64Array): Float64Array {
  const n = b.length;
  for (let j = 0; j < n; ++j)
    for (let i = j; i < n; ++i) {
      let s = A[i]![j]!;
      for (let k = 0; k < j; ++k) s -= A[i]![k]! * A[j]![k]!;
      A[i]![j] = i === j ? Math.sqrt(Math.max(s, 1e-300)) : s / A[j]![j]!;
    }
  for (let i = 0; i < n; ++i) {
    for (let k = 0; k < i; ++k) b[i]! -= A[i]![k]! * b[k]!;
    b[i]! /= A[i]![i]!;
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let k = i + 1; k < n; ++k) b[i]! -= A[k]![i]! * b[k]!;
    b[i]! /= A[i]![i]!;
  }
  return b;
}

/** One direction that a posture can move in. */
interface Move {
  coordinate: number; // the first that changes
  apply: (q: number[], by: number) => void;
}

const LARGEST_STEP = 0.3; // rad or m

/** Every joint's own directions but those of free ones: those are not to carry the model about. */
function movesOf(model: Model): Move[] {
  const out: Move[] = [];
  const plain = (at: number): Move => {
    const { lower, upper } = model.coordinates[at]!;
    return { coordinate: at, apply: (q, by) => void (q[at] = Math.min(Math.max(q[at]! + by, Math.min(lower, q[at]!)), Math.max(upper, q[at]!))) };
  };
  const ball = (at: number, axis: number): Move => ({
    coordinate: at,
    apply: (q, by) => {
      const turn: Quaternion = [0, 0, 0, Math.cos(by / 2)];
      turn[axis] = Math.sin(by / 2);
      normalized(multiply([q[at]!, q[at + 1]!, q[at + 2]!, q[at + 3]!], turn)).forEach((x, k) => (q[at + k] = x));
    },
  });
  const seen = new Set<number>();
  for (const link of model.links) {
    let at = link.q;
    for (const { motion } of link.steps) {
      if (!seen.has(at) && motion === "ball") out.push(ball(at, 0), ball(at, 1), ball(at, 2));
      else if (!seen.has(at) && coordinatesOf(motion) === 1) out.push(plain(at));
      seen.add(at);
      at += coordinatesOf(motion);
    }
  }
  return out;
}

function movedBy(q: readonly number[], moves: Move[], steps: ArrayLike<number>): number[] {
  const out = q.slice();
  moves.forEach((move, i) => move.apply(out, steps[i]!));
  return out;
}

/**
 * Moves joints within their limits so that loops close again, by damped Newton steps with numerical slopes; the coordinate
 * `held` stays. Returns the posture with the smallest violation that was found: the given one when none is better.
 */
export function closeLoops(model: Model, q: ArrayLike<number>, held: number): number[] {
  const rowsAt = (at: ArrayLike<number>): number[] => {
    const links = linkPoses(model, at);
    return model.loops.flatMap((loop) => loopRows(loop, links) ?? []);
  };
  const moves = movesOf(model).filter((move) => move.coordinate !== held);
  const slopes = (at: number[]): Float64Array[] =>
    moves.map((move) => {
      const [low, high] = [at.slice(), at.slice()];
      move.apply(low, -1e-6);
      move.apply(high, 1e-6);
      const [a, b] = [rowsAt(low), rowsAt(high)];
      return Float64Array.from(b, (x, i) => (x - a[i]!) / 2e-6); // at a limit half of it: the step is shorter
    });
  let best = Array.from(q);
  let r = rowsAt(best);
  let columns = slopes(best);
  for (let damping = 1e-8, i = 0; i < 60 && Math.hypot(...r) > 1e-12 && moves.length > 0; ++i) {
    const A = columns.map((a) => Float64Array.from(columns, (b) => a.reduce((s, x, k) => s + x * b[k]!, 0)));
    A.forEach((row, k) => (row[k]! += damping)); // joints that no loop feels stay where they are
    const step = solvePositive(A, Float64Array.from(columns, (a) => -a.reduce((s, x, k) => s + x * r[k]!, 0)));
    const largest = Math.max(...step.map(Math.abs));
    const next = movedBy(best, moves, largest > LARGEST_STEP ? step.map((x) => (x * LARGEST_STEP) / largest) : step);
    const after = rowsAt(next);
    if (Math.hypot(...after) < Math.hypot(...r)) {
      [best, r, damping] = [next, after, Math.max(damping * 0.1, 1e-12)];
      columns = slopes(best);
    } else if ((damping *= 10) > 1e3) break;
  }
  return best;
}

// ---- the check

/** How far poses, centres of mass and loops of the page are from those that the library sent along. */
export function agreement(model: Model): number {
  let worst = 0;
  const see = (a: number, b: number): void => void (worst = Math.max(worst, Math.abs(a - b) || (Number.isNaN(a - b) ? Infinity : 0)));
  for (const { q, poses, com, violation } of model.references) {
    const links = linkPoses(model, q);
    model.bodies.forEach((_, i) => {
      const X = bodyPose(model, links, i);
      const sign = Math.sign([3, 4, 5, 6].reduce((s, k) => s + X[k]! * poses[7 * i + k]!, 0)) || 1; // q and -q are one turn
      X.forEach((x, k) => see(k < 3 ? x : sign * x, poses[7 * i + k]!));
    });
    const center = centerOfMass(model, links);
    if (com && center) center.forEach((x, k) => see(x, com[k]!));
    if (violation !== null) see(loopViolation(model, links), violation);
  }
  return worst;
}
