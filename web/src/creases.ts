/** Faces that meet at a smaller angle than this look as one round surface, others have an edge between them. */
const SMOOTH = Math.cos((38 * Math.PI) / 180);

/** For each corner, the faces that it belongs to: those of corner i are list[first[i]] to list[first[i + 1] - 1]. */
function facesAt(count: number, faces: Uint32Array): { first: Uint32Array; list: Uint32Array } {
  const first = new Uint32Array(count + 1);
  for (const corner of faces) ++first[corner + 1]!;
  for (let i = 0; i < count; ++i) first[i + 1]! += first[i]!;
  const next = first.slice();
  const list = new Uint32Array(faces.length);
  faces.forEach((corner, k) => (list[next[corner]!++] = Math.floor(k / 3)));
  return { first, list };
}

/** Of each face, as long as twice its area, so that large faces count more. */
function faceNormals(corners: Float32Array, faces: Uint32Array): Float32Array {
  const out = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [3 * faces[f]!, 3 * faces[f + 1]!, 3 * faces[f + 2]!];
    const [ux, uy, uz] = [corners[b]! - corners[a]!, corners[b + 1]! - corners[a + 1]!, corners[b + 2]! - corners[a + 2]!];
    const [vx, vy, vz] = [corners[c]! - corners[a]!, corners[c + 1]! - corners[a + 1]!, corners[c + 2]! - corners[a + 2]!];
    out[f] = uy * vz - uz * vy;
    out[f + 1] = uz * vx - ux * vz;
    out[f + 2] = ux * vy - uy * vx;
  }
  return out;
}

/** Three corners of its own for each face; their normals are means over the neighbors that go on smoothly. */
export function creased(corners: Float32Array, faces: Uint32Array): { positions: Float32Array; normals: Float32Array } {
  const positions = new Float32Array(3 * faces.length);
  const normals = new Float32Array(3 * faces.length);
  const { first, list } = facesAt(corners.length / 3, faces);
  const own = faceNormals(corners, faces);
  const length = (f: number): number => Math.hypot(own[f]!, own[f + 1]!, own[f + 2]!);
  const lengths = Float32Array.from({ length: faces.length / 3 }, (_, f) => length(3 * f));
  faces.forEach((corner, k) => {
    const f = 3 * Math.floor(k / 3);
    let [x, y, z] = [0, 0, 0];
    for (let i = first[corner]!; i < first[corner + 1]!; ++i) {
      const g = 3 * list[i]!;
      const along = own[f]! * own[g]! + own[f + 1]! * own[g + 1]! + own[f + 2]! * own[g + 2]!;
      if (along < SMOOTH * lengths[f / 3]! * lengths[g / 3]!) continue;
      x += own[g]!;
      y += own[g + 1]!;
      z += own[g + 2]!;
    }
    const n = Math.hypot(x, y, z) || 1;
    for (const [i, value] of [x / n, y / n, z / n].entries()) {
      normals[3 * k + i] = value;
      positions[3 * k + i] = corners[3 * corner + i]!;
    }
  });
  return { positions, normals };
}
