// The container that the C++ library writes: a head in JSON, then lists of numbers. Every size is checked.

export class SceneError extends Error {}

export type Numbers = Float64Array | Float32Array;

const MAGIC = "AMBLESCN";
const MOST_ROWS = 50_000_000;

export type Json = Record<string, unknown>;

export function fail(what: string): never {
  throw new SceneError(what);
}

/** Reads fields of the head, and lists after it, with every size checked. */
export class Reader {
  notFinite = 0;
  constructor(
    private readonly buffer: ArrayBuffer,
    private readonly base: number,
  ) {}

  object(value: unknown, where: string): Json {
    if (typeof value !== "object" || value === null || Array.isArray(value)) fail(`${where} is not an object`);
    return value as Json;
  }
  list(value: unknown, where: string): unknown[] {
    return Array.isArray(value) ? value : fail(`${where} is not a list`);
  }
  text(value: unknown, where: string): string {
    return typeof value === "string" ? value : fail(`${where} is not a text`);
  }
  number(value: unknown, where: string): number {
    return typeof value === "number" && Number.isFinite(value) ? value : fail(`${where} is not a number`);
  }
  count(value: unknown, where: string): number {
    const n = this.number(value, where);
    return Number.isInteger(n) && n >= 0 && n <= MOST_ROWS ? n : fail(`${where} is ${n}, not a count`);
  }
  numbers(value: unknown, length: number, where: string): number[] {
    const all = this.list(value, where).map((x, i) => this.number(x, `${where}[${i}]`));
    return all.length === length ? all : fail(`${where} has ${all.length} numbers, expected ${length}`);
  }

  private span(offset: unknown, length: number, bytes: number, where: string): number {
    const start = this.base + this.number(offset, `the place of ${where}`);
    if (!(start >= this.base)) fail(`the place of ${where} is ${String(offset)}, before the numbers begin`);
    if (start % 8 !== 0) fail(`${where} does not begin at a multiple of 8 bytes`);
    if (start + length * bytes > this.buffer.byteLength)
      fail(`${where} should have ${length} numbers, but the file ends before`);
    return start;
  }
  f64(offset: unknown, length: number, where: string): Float64Array {
    return new Float64Array(this.buffer, this.span(offset, length, 8, where), length);
  }
  f32(offset: unknown, length: number, where: string): Float32Array {
    return new Float32Array(this.buffer, this.span(offset, length, 4, where), length);
  }
  u16(offset: unknown, length: number, where: string): Uint16Array {
    return new Uint16Array(this.buffer, this.span(offset, length, 2, where), length);
  }
  u32(offset: unknown, length: number, where: string): Uint32Array {
    return new Uint32Array(this.buffer, this.span(offset, length, 4, where), length);
  }

  times(offset: unknown, length: number, where: string): Float64Array {
    const t = this.f64(offset, length, where);
    for (let i = 0; i < length; ++i)
      if (!Number.isFinite(t[i]!) || (i > 0 && t[i]! < t[i - 1]!)) fail(`${where} is not in order at row ${i}`);
    return t;
  }
  counted<T extends Numbers>(numbers: T): T {
    for (let i = 0; i < numbers.length; ++i) if (!Number.isFinite(numbers[i]!)) ++this.notFinite;
    return numbers;
  }
}

export function readHead(buffer: ArrayBuffer): { head: Json; base: number } {
  if (buffer.byteLength < 16) fail(`the scene has ${buffer.byteLength} bytes: it is cut off`);
  const bytes = new Uint8Array(buffer);
  if (new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) fail("this is not a scene of Amble");
  const length = Number(new DataView(buffer).getBigUint64(8, true));
  if (16 + length > buffer.byteLength) fail("the scene is cut off within its head");
  let head: unknown;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
  } catch {
    return fail("the head of the scene is not JSON");
  }
  if (typeof head !== "object" || head === null || Array.isArray(head)) fail("the head is not an object");
  return { head: head as Json, base: 16 + length };
}
