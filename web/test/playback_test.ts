import assert from "node:assert/strict";
import { test } from "node:test";
import { Playback } from "../src/playback.ts";

test("time goes on while it plays, at its speed", () => {
  const p = new Playback(1, 5);
  p.advance(1);
  assert.equal(p.time, 1);
  p.toggle();
  p.setSpeed(0.5);
  p.advance(2);
  assert.equal(p.time, 2);
});

test("at the end it begins again, or stops", () => {
  const p = new Playback(0, 4);
  p.toggle();
  p.advance(9);
  assert.equal(p.time, 1);
  p.setLoop(false);
  p.advance(9);
  assert.deepEqual([p.time, p.playing], [4, false]);
  p.toggle();
  assert.deepEqual([p.time, p.playing], [0, true]);
});

test("steps go from frame to frame and stop", () => {
  const frames = Float64Array.of(0, 0.1, 0.2, 0.3);
  const p = new Playback(0, 0.3);
  p.toggle();
  p.seek(0.15);
  p.step(frames, 1);
  assert.deepEqual([p.time, p.playing], [0.2, false]);
  p.step(frames, -1);
  assert.equal(p.time, 0.1);
  p.step(frames, -1), p.step(frames, -1);
  assert.equal(p.time, 0);
  p.seek(9);
  p.step(frames, 1);
  assert.equal(p.time, 0.3);
});

test("whoever listens is told", () => {
  const p = new Playback(0, 1);
  let told = 0;
  p.onChange(() => ++told);
  p.seek(-3), p.toggle(), p.faster(1), p.setLoop(false);
  assert.deepEqual([told, p.time, p.speed], [4, 0, 2]);
});
