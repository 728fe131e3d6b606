import { themed } from "./dom.ts";
import { padded } from "./plots.ts";

/** Round numbers that cover a range: about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((m) => m * power >= raw) ?? 10);
  const out = [];
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) out.push(Math.abs(x) < 1e-9 * step ? 0 : +x.toPrecision(12));
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
    this.context = canvas.getContext("2d")!;
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
    c.beginPath();
    let down = false;
    xs.forEach((x, i) => {
      const whole = Number.isFinite(x) && Number.isFinite(ys[i]!);
      if (whole) down ? c.lineTo(this.px(x), this.py(ys[i]!)) : c.moveTo(this.px(x), this.py(ys[i]!));
      down = whole;
    });
    c.stroke();
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
