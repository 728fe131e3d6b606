import assert from "node:assert/strict";
import { test } from "node:test";
import { creased } from "../src/creases.ts";
import { agreement, centerOfMass, closeLoops, linkPoses, loopViolation } from "../src/kinematics.ts";
import { isModel, readModel } from "../src/model.ts";
import { anglesOf, compose, fromAngles, inverse, transform, type Pose, type Vector } from "../src/pose.ts";
import { SceneError } from "../src/reader.ts";
import { makeModel } from "./make_model.ts";
import { makeScene } from "./make_scene.ts";

type Head = Record<string, unknown>;
const refuses = (mutate: (head: Head) => void, message: RegExp): void =>
  assert.throws(() => readModel(makeModel(mutate)), (error) => error instanceof SceneError && message.test(error.message));
const first = (head: Head, key: string): Head => (head[key] as Head[])[0]!;

test("a model is told from a recording by its head", () => {
  assert.equal(isModel(makeModel()), true);
  assert.equal(isModel(makeScene()), false);
});

test("a model is read as it was written", () => {
  const model = readModel(makeModel());
  assert.equal(model.bodies[1]!.name, "lower");
  assert.deepEqual(model.coordinates.map((c) => c.upper), [1, Infinity]);
  assert.equal(model.shapes[2]!.collision, true);
  assert.equal(agreement(model), 0);
});

test("models that do not fit together are refused", () => {
  refuses((h) => (h["version"] = 2), /format that this page does not know/);
  refuses((h) => (h["links"] = []), /no links/);
  refuses((h) => ((h["links"] as Head[])[1]!["parent"] = 2), /links\[1\].parent is 2/); // after itself
  refuses((h) => ((h["links"] as Head[])[2]!["q"] = 2), /links\[2\].q is 2/);
  refuses((h) => ((h["links"] as Head[])[1]!["steps"] = [{ motion: "constructor", turn: [0, 0, 0, 1] }]), /moves by 'constructor'/);
  refuses((h) => (first(h, "bodies")["link"] = 9), /bodies\[0\].link is 9/);
  refuses((h) => (first(h, "joints")["q"] = [1, 2]), /joints\[0\].q/);
  refuses((h) => (first(h, "shapes")["mesh"] = 0), /there are 0/);
  refuses((h) => (h["q"] = [1]), /q has 1 numbers, expected 2/);
  refuses((h) => (first(h, "references")["poses"] = 4096), /the file ends before/);
  refuses((h) => (h["keyframes"] = [{ name: "k", q: [null, 0] }]), /not a number/);
});

test("poses that differ from the library's are found", () => {
  const model = readModel(makeModel((h) => ((h["links"] as Head[])[2]!["pose"] = [1.001, 0, 0, 0, 0, 0, 1])));
  assert.ok(Math.abs(agreement(model) - 1e-3) < 1e-12);
  model.references[0]!.poses[0] = NaN;
  assert.equal(agreement(model), Infinity);
});

test("poses of an arm are those of its angles", () => {
  const model = readModel(makeModel());
  const [a, b] = [0.4, -1.1];
  const tip = transform(linkPoses(model, [a, b])[2]!, [1, 0, 0]);
  assert.ok(Math.abs(tip[0] - Math.cos(a) - Math.cos(a + b)) < 1e-15);
  assert.ok(Math.abs(tip[1] - Math.sin(a) - Math.sin(a + b)) < 1e-15);
  assert.ok(Math.abs(centerOfMass(model, linkPoses(model, [a, b]))![0] - (0.5 * Math.cos(a) + Math.cos(a) + 0.5 * Math.cos(a + b)) / 2) < 1e-15);
});

test("a loop that a slider opens is closed by the other joints", () => {
  const loop = { name: "guide", type: "planar", kind: "planar", body_a: -1, body_b: 1, link_a: 0, link_b: 2, pitch: 0, angle: 0 };
  // The tip stays in the plane y = 0: z of both frames along y would tilt with the arm, so the loop is a point in a plane.
  const plane = { ...loop, pose_a: [0, 0, 0, -Math.SQRT1_2, 0, 0, Math.SQRT1_2], pose_b: [1, 0, 0, -Math.SQRT1_2, 0, 0, Math.SQRT1_2] };
  const pin = { ...loop, type: "spherical", kind: "spherical", pose_a: [1.2, 0.9, 0, 0, 0, 0, 1], pose_b: [1, 0, 0, 0, 0, 0, 1] };
  const model = readModel(makeModel((h) => (h["loops"] = [pin])));
  const open = [0.3, 0.2];
  assert.ok(loopViolation(model, linkPoses(model, open)) > 0.1);
  const closed = closeLoops(model, open, -1);
  assert.ok(loopViolation(model, linkPoses(model, closed)) < 1e-10);
  // With the shoulder held the point cannot be reached: nothing gets worse, and the shoulder stays.
  const held = closeLoops(model, open, 0);
  assert.equal(held[0], open[0]);
  assert.ok(loopViolation(model, linkPoses(model, held)) <= loopViolation(model, linkPoses(model, open)));
  const tilted = readModel(makeModel((h) => (h["loops"] = [plane])));
  assert.ok(Math.abs(loopViolation(tilted, linkPoses(tilted, [0, 0.3])) - Math.sin(0.3)) < 1e-12);
});

test("angles of a turn give the turn back, also where two axes fall together", () => {
  for (const angles of [[0.3, -0.7, 2.1], [3, 1.5, -3], [0, Math.PI / 2, 0.4], [0.2, -Math.PI / 2, 0.1]] as Vector[]) {
    const q = fromAngles(angles);
    const again = fromAngles(anglesOf(q));
    assert.ok(Math.abs(Math.abs(q.reduce((s, x, k) => s + x * again[k]!, 0)) - 1) < 1e-9, String(angles));
  }
});

test("a pose and its inverse are nothing", () => {
  const X: Pose = [1, -2, 3, ...fromAngles([0.3, 0.4, 0.5])];
  compose(X, inverse(X)).forEach((x, k) => assert.ok(Math.abs(x - (k === 6 ? 1 : 0)) < 1e-15));
});

test("edges stay sharp and round surfaces smooth", () => {
  const fold = (angle: number): Float32Array => Float32Array.from([0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -Math.cos(angle), Math.sin(angle)]);
  const faces = Uint32Array.from([0, 1, 2, 1, 0, 3]);
  const across = (angle: number): number => {
    const { normals } = creased(fold(angle), faces);
    return normals[0]! * normals[12]! + normals[1]! * normals[13]! + normals[2]! * normals[14]!; // of corner 0 in both faces
  };
  assert.ok(across(0.3) > 1 - 1e-6);
  assert.ok(Math.abs(across(1.2) - Math.cos(1.2)) < 1e-6);
});
