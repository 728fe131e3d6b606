import { themed } from "./dom.ts";
import { padded } from "./plots.ts";

/** Round numbers that cover a range: about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((m) => m * power >= raw) ?? 10);
  const first = Math.ceil(low / step);
  const out = [];
  // Counted: in a range as narrow as rounding, adding a step would lead nowhere.
  for (let i = 0; i <= 2 * count + 1 && (first + i) * step <= high + 1e-9 * step; ++i) out.push(first + i === 0 ? 0 : +((first + i) * step).toPrecision(12));
  return out;
}

const LONGEST_PIECE = 200;

/** A curve in pixels as short lines of points that are apart, broken where it has gaps. */
export function piecesOf(xs: number[], ys: number[]): [number, number][][] {
  const out: [number, number][][] = [];
  let piece: [number, number][] = [];
  const finish = (): void => {
    if (piece.length > 1) out.push(piece);
  };
  xs.forEach((x, i) => {
    const y = ys[i]!;
    const last = piece.at(-1);
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      finish();
      piece = [];
    } else if (last === undefined || Math.abs(x - last[0]) + Math.abs(y - last[1]) >= 0.7) {
      piece.push([x, y]);
    }
    if (piece.length < LONGEST_PIECE) return;
    finish();
    piece = piece.slice(-1);
  });
  finish();
  return out;
}

/** One quantity over another, on a canvas. */
export class XyPlot {
  private readonly context: CanvasRenderingContext2D;
  private x = { min: 0, max: 1 };
  private y = { min: 0, max: 1 };
  private width = 0;
  private height = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {
    // On the processor, where thin lines are quick to draw: a graphics card that is only imitated takes a minute for some thousand.
    this.context = canvas.getContext("2d", { willReadFrequently: true })!;
  }

  begin(xs: number[], ys: number[], xLabel: string, yLabel: string): void {
    const ratio = Math.min(2, window.devicePixelRatio);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.x = padded(xs);
    this.y = padded(ys);
    this.drawAxes(xLabel, yLabel);
  }

  private px(x: number): number {
    return 58 + ((x - this.x.min) / (this.x.max - this.x.min)) * (this.width - 70);
  }
  private py(y: number): number {
    return this.height - 40 - ((y - this.y.min) / (this.y.max - this.y.min)) * (this.height - 50);
  }

  private drawAxes(xLabel: string, yLabel: string): void {
    const c = this.context;
    c.clearRect(0, 0, this.width, this.height);
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1;
    c.strokeStyle = themed("--line");
    c.fillStyle = themed("--muted");
    const digits = (v: number): string => String(+v.toPrecision(6));
    c.textAlign = "center";
    for (const v of ticks(this.x.min, this.x.max, Math.max(2, this.width / 90))) {
      this.segment([v, this.y.min], [v, this.y.max]);
      c.fillText(digits(v), this.px(v), this.height - 25);
    }
    c.textAlign = "right";
    for (const v of ticks(this.y.min, this.y.max, 5)) {
      this.segment([this.x.min, v], [this.x.max, v]);
      c.fillText(digits(v), 52, this.py(v) + 4);
    }
    c.textAlign = "center";
    c.font = "12px system-ui, sans-serif";
    c.fillText(xLabel, (58 + this.width - 12) / 2, this.height - 7);
    c.save();
    c.translate(12, (this.height - 40) / 2);
    c.rotate(-Math.PI / 2);
    c.fillText(yLabel, 0, 0);
    c.restore();
  }

  private segment(a: [number, number], b: [number, number]): void {
    this.context.beginPath();
    this.context.moveTo(this.px(a[0]), this.py(a[1]));
    this.context.lineTo(this.px(b[0]), this.py(b[1]));
    this.context.stroke();
  }

  curve(xs: number[], ys: number[], stroke: string, opacity = 1): void {
    const c = this.context;
    c.globalAlpha = opacity;
    c.strokeStyle = stroke;
    c.lineWidth = 1.4;
    // In pieces, and without points that no pixel shows: one path over hundreds of rounds of a cycle is drawn for minutes.
    for (const piece of piecesOf(xs.map((x) => this.px(x)), ys.map((y) => this.py(y)))) {
      c.beginPath();
      piece.forEach(([x, y], k) => (k === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
      c.stroke();
    }
    c.globalAlpha = 1;
  }
  dots(xs: number[], ys: number[], fill: string, radius: number): void {
    this.context.fillStyle = fill;
    xs.forEach((x, i) => {
      this.context.beginPath();
      this.context.arc(this.px(x), this.py(ys[i]!), radius, 0, 2 * Math.PI);
      this.context.fill();
    });
  }
  diagonal(): void {
    const low = Math.max(this.x.min, this.y.min);
    const high = Math.min(this.x.max, this.y.max);
    this.context.strokeStyle = themed("--muted");
    if (high > low) this.segment([low, low], [high, high]);
  }
}
