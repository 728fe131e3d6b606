import assert from "node:assert/strict";
import { test } from "node:test";
import { grown, readScene, rowAt, SceneError } from "../src/scene.ts";
import { assemble, makeScene } from "./make_scene.ts";

type Head = Record<string, unknown>;
const head = (mutate: (head: Head) => void): (() => void) => () => void readScene(makeScene({ mutate }));
const refuses = (mutate: (head: Head) => void, message: RegExp): void =>
  assert.throws(head(mutate), (error) => error instanceof SceneError && message.test(error.message));

test("a scene is read as it was written", () => {
  const scene = readScene(makeScene());
  assert.equal(scene.name, "strider");
  assert.equal(scene.links.length, 4);
  assert.equal(scene.states.rows, 480);
  assert.equal(scene.states.columns[0]!.name, "q:left hip");
  assert.ok(Math.abs(scene.states.columns[0]!.value[30]! - 0.45 * Math.sin((2 * Math.PI * 0.9 * 30) / 120)) < 1e-12);
  assert.equal(scene.frames.contactFirst[1], 2);
  assert.deepEqual(scene.ledger.entries, ["hip motor"]);
});

test("bytes that are no scene are refused in words", () => {
  const broken = (bytes: ArrayBuffer, message: RegExp): void => assert.throws(() => readScene(bytes), message);
  broken(new ArrayBuffer(3), /cut off/);
  broken(new TextEncoder().encode("<html>this is something else</html>").buffer as ArrayBuffer, /not a scene/);
  broken(makeScene().slice(0, 400), /cut off within its head/);
  broken(assemble("{ no json", new Uint8Array(0)), /not JSON/);
  broken(assemble("[]", new Uint8Array(0)), /not an object|format/);
  broken(assemble('{"format": "amble scene", "version": 99}', new Uint8Array(0)), /format that this page does not know/);
});

test("lists that are shorter than they say are refused", () => {
  const whole = makeScene();
  assert.throws(() => readScene(whole.slice(0, whole.byteLength - 4096)), /but the file ends before/);
  refuses((h) => ((h["states"] as Head)["rows"] = 1e12), /not a count/);
  refuses((h) => ((h["states"] as Head)["rows"] = 481000), /the file ends before/);
  refuses((h) => ((h["states"] as Head)["rows"] = -1), /not a count/);
  refuses((h) => ((h["states"] as Head)["time"] = 3), /multiple of 8/);
  refuses((h) => ((h["states"] as Head)["time"] = -8), /before the numbers begin/);
  refuses((h) => ((h["states"] as Head)["time"] = 8e12), /the file ends before/);
  refuses((h) => ((h["frames"] as Head)["columns"] = 7), /does not fit 4 links/);
});

test("heads with the wrong kinds of things are refused", () => {
  refuses((h) => (h["name"] = 7), /name is not a text/);
  refuses((h) => (h["links"] = []), /no links/);
  refuses((h) => (h["mass"] = "heavy"), /mass is not a number/);
  refuses((h) => ((h["joints"] as Head[])[0]!["link"] = 44), /there are 4 links/);
  refuses((h) => ((h["ledger"] as Head)["entries"] = ["a", "b"]), /do not fit its entries/);
  refuses((h) => (h["events"] = "none"), /not a list/);
  refuses((h) => (h["ground"] = { kind: "sea" }), /kind that is not known/);
});

test("numbers that are not finite are counted and told", () => {
  const scene = readScene(makeScene({ value: (i) => (i % 100 === 3 ? NaN : 1) }));
  assert.ok(scene.notes.some((note) => note.includes("5 numbers are not finite")));
});

test("times out of order are refused", () => {
  const bytes = makeScene();
  const scene = readScene(bytes);
  scene.frames.t[5] = -1; // in the same memory
  assert.throws(() => readScene(bytes), /not in order at row 5/);
});

test("a scene grows by what comes later", () => {
  const a = readScene(makeScene({ rows: 100 }));
  const b = readScene(makeScene({ rows: 50 }));
  for (const t of [b.states.t, b.frames.t, b.ledger.t]) t.forEach((x, i) => (t[i] = x + 10));
  const both = grown(a, b);
  assert.equal(both.states.rows, 150);
  assert.equal(both.states.t[149], b.states.t[49]);
  assert.equal(both.states.columns[2]!.value[120], b.states.columns[2]!.value[20]);
  assert.equal(both.frames.contactFirst.length, 151);
  assert.equal(both.frames.contactFirst[150]! * 12, both.frames.contacts.length);
  assert.equal(both.events.length, a.events.length + b.events.length);
});

test("a signal that comes new was zero until then", () => {
  const a = readScene(makeScene({ rows: 20 }));
  const b = readScene(makeScene({ rows: 10 }));
  const force = { ...b.states.columns[0]!, name: "contact force on foot", group: "contact", value: new Float64Array(10).fill(5) };
  b.states.columns.push({ ...force, low: force.value, high: force.value });
  const column = grown(a, b).states.columns.at(-1)!;
  assert.deepEqual([column.value.length, column.value[19], column.value[20]], [30, 0, 5]);
  a.states.columns.push(column, column, column);
  assert.throws(() => grown(a, b), /other columns than before/);
});

test("the row at a time is the last one before it", () => {
  const t = Float64Array.of(0, 1, 2, 2, 5);
  assert.deepEqual([-1, 0, 0.5, 2, 4.9, 9].map((x) => rowAt(t, x)), [0, 0, 0, 3, 3, 4]);
});
