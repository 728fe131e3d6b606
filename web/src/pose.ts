// Poses in double precision: x, y, z, then the unit quaternion x, y, z, w.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number];
export type Pose = [number, number, number, number, number, number, number];

export const IDENTITY: Pose = [0, 0, 0, 0, 0, 0, 1];

export function multiply(a: Quaternion, b: Quaternion): Quaternion {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

export function rotate(q: Quaternion, p: Vector): Vector {
  const [x, y, z, w] = q;
  const tx = 2 * (y * p[2] - z * p[1]);
  const ty = 2 * (z * p[0] - x * p[2]);
  const tz = 2 * (x * p[1] - y * p[0]);
  return [p[0] + w * tx + y * tz - z * ty, p[1] + w * ty + z * tx - x * tz, p[2] + w * tz + x * ty - y * tx];
}

export const turnOf = (X: Pose): Quaternion => [X[3], X[4], X[5], X[6]];
export const placeOf = (X: Pose): Vector => [X[0], X[1], X[2]];
export const poseOf = (p: Vector, q: Quaternion): Pose => [p[0], p[1], p[2], q[0], q[1], q[2], q[3]];

export function compose(a: Pose, b: Pose): Pose {
  return poseOf(transform(a, placeOf(b)), multiply(turnOf(a), turnOf(b)));
}

export function transform(X: Pose, p: Vector): Vector {
  const r = rotate(turnOf(X), p);
  return [X[0] + r[0], X[1] + r[1], X[2] + r[2]];
}

export function inverse(X: Pose): Pose {
  const back: Quaternion = [-X[3], -X[4], -X[5], X[6]];
  const p = rotate(back, placeOf(X));
  return poseOf([-p[0], -p[1], -p[2]], back);
}

export function normalized(q: Quaternion): Quaternion {
  const n = Math.hypot(...q);
  return n > 0 ? [q[0] / n, q[1] / n, q[2] / n, q[3] / n] : [0, 0, 0, 1];
}

/** A turn about z. */
export const aboutZ = (angle: number): Quaternion => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];

/** Turns about the fixed axes x, then y, then z (roll, pitch, yaw). */
export function fromAngles([roll, pitch, yaw]: Vector): Quaternion {
  const about = (axis: number, angle: number): Quaternion => {
    const q: Quaternion = [0, 0, 0, Math.cos(angle / 2)];
    q[axis] = Math.sin(angle / 2);
    return q;
  };
  return multiply(about(2, yaw), multiply(about(1, pitch), about(0, roll)));
}

/** The inverse of fromAngles(), pitch within a quarter turn; at its ends roll is 0. */
export function anglesOf([x, y, z, w]: Quaternion): Vector {
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  if (Math.abs(sine) > 1 - 1e-12) return [0, Math.sign(sine) * (Math.PI / 2), -2 * Math.sign(sine) * Math.atan2(x, w)];
  return [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(sine), Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
}

/** A column of the rotation matrix. */
export function axisOf(q: Quaternion, column: number): Vector {
  const unit: Vector = [0, 0, 0];
  unit[column] = 1;
  return rotate(q, unit);
}

export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
