import assert from "node:assert/strict";
import { test } from "node:test";
import { Pyramid, stretch } from "../src/pyramid.ts";
import type { Column } from "../src/scene.ts";

/** Numbers that look random and are the same every time (a linear congruential generator). */
function numbers(count: number, seed: number): Float64Array {
  let x = seed;
  return Float64Array.from({ length: count }, () => (x = (1103515245 * x + 12345) % 2147483648) / 2147483648);
}
const column = (value: Float64Array): Column => ({ name: "x", unit: "m", group: "q", value, low: value, high: value });

test("every bucket of every level has the extremes of its rows", () => {
  const value = numbers(1003, 7);
  const pyramid = new Pyramid(column(value));
  for (let k = 0; k < 5; ++k) {
    const size = 4 ** k;
    pyramid.extremes(k, 0, Infinity).forEach(({ low, high }, i) => {
      const rows = value.subarray(i * size, (i + 1) * size);
      assert.equal(low, Math.min(...rows));
      assert.equal(high, Math.max(...rows));
    });
  }
});

test("a peak of one sample among millions is drawn", () => {
  const value = new Float64Array(3_600_000);
  value[1_234_567] = 42;
  value[2_345_678] = -17;
  const c = column(value);
  const t = Float64Array.from(value, (_, i) => i / 1000);
  const drawn = stretch(t, [new Pyramid(c)], [c], 0, value.length, 1600);
  assert.ok(drawn.t.length <= 1600);
  assert.ok(drawn.series[0]!.includes(42));
  assert.ok(drawn.series[0]!.includes(-17));
  assert.ok(drawn.t.every((x, i) => i === 0 || x >= drawn.t[i - 1]!));
});

test("a short stretch is drawn as it is", () => {
  const value = numbers(5000, 3);
  const c = column(value);
  const t = Float64Array.from(value, (_, i) => i);
  const drawn = stretch(t, [new Pyramid(c)], [c], 100, 400, 1600);
  assert.deepEqual(drawn.t, Array.from(t.subarray(100, 400)));
  assert.deepEqual(drawn.series[0], Array.from(value.subarray(100, 400)));
});

test("gaps are gaps, and do not hide numbers beside them", () => {
  const value = numbers(64, 5);
  value.fill(NaN, 16, 32);
  value[3] = NaN;
  const c = column(value);
  const pyramid = new Pyramid(c);
  const level = pyramid.extremes(2, 0, 4);
  assert.ok(Number.isNaN(level[1]!.low));
  assert.equal(level[0]!.high, Math.max(...value.subarray(0, 16).filter((x) => !Number.isNaN(x))));
  assert.equal(stretch(Float64Array.from(value, (_, i) => i), [pyramid], [c], 0, 64, 1600).series[0]![3], null);
});
