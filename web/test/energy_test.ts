import assert from "node:assert/strict";
import { test } from "node:test";
import { command } from "../src/about.ts";
import { flowBetween, kindOf, repeatedEvents, stepAround, streams, timesOf } from "../src/energy_flow.ts";
import { convexHull } from "../src/hull.ts";
import { valuesAtEvents } from "../src/phase.ts";
import { readScene } from "../src/scene.ts";
import { fromBase64 } from "../src/source.ts";
import { piecesOf, ticks } from "../src/xy_plot.ts";
import { makeScene } from "./make_scene.ts";

const close = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("flows of an interval close as the books do", () => {
  const scene = readScene(makeScene());
  for (const [from, to] of [[0, 9], [0.5, 1.5], [1.1, 3.05]] as const) {
    const flow = flowBetween(scene, { from, to });
    close(flow.residual, 0);
    const { sources, sinks } = streams(flow);
    const sum = (list: { joules: number }[]): number => list.reduce((s, x) => s + x.joules, 0);
    close(sum(sources), sum(sinks));
    assert.ok([...sources, ...sinks].every((s) => s.joules > 0));
  }
});

test("the step that a time lies in is between two events of a name", () => {
  const scene = readScene(makeScene());
  const name = "right foot touches"; // at 1, 3, 5 times 0.5556 s
  const step = stepAround(scene, name, 1.0)!;
  close(step.from, 0.5556), close(step.to, 3 * 0.5556);
  close(stepAround(scene, name, 0)!.from, 0.5556);
  close(stepAround(scene, name, 99)!.to, 5 * 0.5556);
  assert.equal(stepAround(scene, "never", 1), null);
  assert.deepEqual(repeatedEvents(scene, 3), ["right foot touches", "left foot touches"]);
  assert.deepEqual(repeatedEvents(scene, 4), []);
});

test("a return map has the signal at each event", () => {
  const scene = readScene(makeScene());
  const values = valuesAtEvents(scene, "left foot touches", scene.states.columns[0]!);
  assert.equal(values.length, 3);
  close(values[0]!, scene.states.columns[0]!.value[Math.floor(2 * 0.5556 * 120)]!);
});

test("the hull of points is convex and holds them all", () => {
  assert.deepEqual(convexHull([[0, 0], [1, 0], [0.5, 0.2], [1, 1], [0, 1], [0.5, 0.5]]), [[0, 0], [1, 0], [1, 1], [0, 1]]);
  assert.equal(convexHull([[0, 0], [1, 1], [2, 2]]).length, 2);
  assert.equal(convexHull([]).length, 0);
});

test("ticks are round and cover the range", () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(-0.03, 0.05, 4), [-0.02, 0, 0.02, 0.04]);
  assert.deepEqual(ticks(1, 1, 4), []);
});

test("the command that makes a recording again is quoted where a shell needs it", () => {
  const scene = readScene(makeScene());
  assert.equal(command(scene), "amble simulate scenarios/strider.toml --set simulation.duration=4");
  scene.origin = { ...scene.origin, scenario: "a b'; rm -rf.toml", settings: [] };
  assert.equal(command(scene), "amble simulate 'a b'\\''; rm -rf.toml'");
});

test("base64 that is none is told", () => {
  assert.deepEqual([...new Uint8Array(fromBase64("AQID"))], [1, 2, 3]);
  assert.throws(() => fromBase64("<script>"), /not base64/);
});

test("events that differ in brackets are of one kind, and each is one of its own", () => {
  const scene = readScene(makeScene());
  scene.events = [0.5, 1, 1.5, 2, 2.5].map((t, i) => ({ t, name: `footfall (${i % 2 === 0 ? "left" : "right"} leg)`, lost: 0 }));
  assert.equal(kindOf("footfall (left leg)"), "footfall");
  assert.equal(kindOf("(only) brackets () here"), "(only) brackets () here");
  assert.deepEqual(repeatedEvents(scene, 2), ["footfall", "footfall (left leg)", "footfall (right leg)"]);
  assert.deepEqual(timesOf(scene, "footfall (right leg)"), [1, 2]);
  assert.deepEqual(stepAround(scene, "footfall", 1.2), { from: 1, to: 1.5 });
  assert.deepEqual(stepAround(scene, "footfall (left leg)", 1.2), { from: 0.5, to: 1.5 });
});

test("a recording that no scenario made says its own command", () => {
  const scene = readScene(makeScene());
  assert.equal(command({ ...scene, origin: { ...scene.origin, command: "amble walk compass" } }), "amble walk compass");
});

test("ticks of a range as narrow as rounding come to an end", () => {
  assert.ok(ticks(0.3, 0.3 + 1e-16, 5).length < 20);
  assert.ok(ticks(1e6, 1e6 + 2e-10, 5).length < 20);
  assert.deepEqual(ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
});

test("a curve is drawn in short pieces that hang together, without what no pixel shows", () => {
  const around = Array.from({ length: 5000 }, (_, i) => i / 50);
  const pieces = piecesOf(around.map((a) => 100 * Math.cos(a)), around.map((a) => 100 * Math.sin(a)));
  assert.ok(pieces.every((piece) => piece.length > 1 && piece.length <= 200));
  pieces.slice(1).forEach((piece, i) => assert.deepEqual(piece[0], pieces[i]!.at(-1)));
  assert.equal(piecesOf([0, 0.1, 0.2], [0, 0, 0]).length, 0);
  assert.deepEqual(piecesOf([0, 5, NaN, 20, 30], [0, 0, 0, 0, 0]).map((piece) => piece.length), [2, 2]);
});
