import uPlot from "uplot";
import { color, curveColor } from "./colors.ts";
import { el, option, shown, svg } from "./dom.ts";
import { flowBetween, ledgerColumn, repeatedEvents, stepAround, streams, type Flow, type Interval, type Stream } from "./energy_flow.ts";
import { cursorLine, linkToTime, padded, plotOptions, type TimeWindow } from "./plots.ts";
import { rowAt, type Scene } from "./scene.ts";

const POINTS = 900;
const MOST_PORTS = 8;

/** Rows of the ledger that are drawn. */
function drawnRows(scene: Scene, from: number, to: number): number[] {
  const { t } = scene.ledger;
  const first = rowAt(t, from);
  const last = rowAt(t, to);
  const step = Math.max(1, Math.ceil((last - first) / POINTS));
  const rows = [];
  for (let i = first; i < last; i += step) rows.push(i);
  rows.push(last);
  return rows;
}

/** Ports by what went through them, the largest first. */
function largestPorts(scene: Scene): number[] {
  const { ledger } = scene;
  const through = ledger.entries.map((_, e) => {
    const delivered = ledgerColumn(ledger, e, 1);
    let sum = 0;
    for (let i = 1; i < delivered.length; ++i) sum += Math.abs(delivered[i]! - delivered[i - 1]!);
    return sum;
  });
  return through.map((sum, e) => ({ sum, e })).filter(({ sum }) => sum > 0).sort((a, b) => b.sum - a.sum).slice(0, MOST_PORTS).map(({ e }) => e);
}

class LinkedPlot {
  readonly figure: HTMLElement;
  private readonly holder: HTMLElement;
  private readonly line: HTMLElement;
  readonly plot: uPlot;
  constructor(title: string, unit: string, names: string[], colors: string[], private readonly window: TimeWindow, filled: boolean) {
    this.holder = el("div", { class: "plot", role: "img", "aria-label": `${title} over time` });
    const legend = el("ul", { class: "legend" });
    names.forEach((name, i) => {
      const swatch = el("span", { class: "swatch" });
      swatch.style.background = colors[i]!;
      legend.append(el("li", {}, swatch, name));
    });
    this.figure = el("figure", {}, el("figcaption", {}, title), this.holder, legend);
    const series = names.map((label, i): uPlot.Series => ({
      label,
      stroke: colors[i]!,
      width: filled ? 1 : 1.5,
      points: { show: false },
      ...(filled ? { fill: `${colors[i]!}66` } : {}),
    }));
    const options = plotOptions(unit, 300, 180, series);
    if (filled) options.bands = names.slice(1).map((_, i) => ({ series: [i + 2, i + 1] as [number, number], fill: `${colors[i + 1]!}66` }));
    this.plot = new uPlot(options, [[], ...names.map(() => [])] as uPlot.AlignedData, this.holder);
    linkToTime(this.plot, window);
    this.line = cursorLine(this.plot);
  }
  fit(): void {
    const width = Math.max(240, this.figure.clientWidth);
    if (this.plot.width !== width) this.plot.setSize({ width, height: 180 });
  }
  set(t: number[], series: number[][], base: number | null): void {
    this.fit();
    this.plot.setData([t, ...series] as uPlot.AlignedData, false);
    this.plot.setScale("x", { min: this.window.from, max: this.window.to });
    const range = padded(series.flat());
    this.plot.setScale("y", base === null ? range : { min: base, max: Math.max(range.max, base + 1e-12) });
  }
  show(time: number): void {
    const x = this.plot.valToPos(time, "x");
    this.line.style.transform = `translateX(${x}px)`;
    this.line.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
  }
}

/** Where the energy is, how fast it flows through each port, and where it went. */
export class EnergyPanel {
  private readonly stack: LinkedPlot;
  private readonly power: LinkedPlot;
  private readonly ports: number[];
  private readonly storing: number[];
  private readonly choice: HTMLSelectElement;
  private readonly range = el("span", { class: "muted" });
  private readonly sankey = el("div", { class: "sankey" });
  private readonly books = el("div", { class: "books" });
  private last = "";
  private visible = false;

  constructor(
    private readonly parent: HTMLElement,
    private scene: Scene,
    private readonly window: TimeWindow,
  ) {
    this.ports = largestPorts(scene);
    this.storing = scene.ledger.entries.map((_, e) => e).filter((e) => Array.from(ledgerColumn(scene.ledger, e, 2)).some((x) => Math.abs(x) > 1e-12));
    const portNames = this.ports.map((e) => scene.ledger.entries[e]!);
    const stackNames = ["height (above its lowest)", "kinetic", ...this.storing.map((e) => `stored in ${scene.ledger.entries[e]!}`)];
    const stackColors = [color("potential"), color("kinetic"), ...this.storing.map((_, i) => elementColor(i))];
    this.stack = new LinkedPlot("Where the energy is", "J", stackNames, stackColors, window, true);
    this.power = new LinkedPlot("Power of each port into the motion", "W", portNames, this.ports.map((_, i) => curveColor(i)), window, false);
    this.choice = el("select", { "aria-label": "Which part of the recording" }, option("", "the whole recording"));
    for (const name of repeatedEvents(scene, 2)) this.choice.append(option(name, `from one “${name}” to the next`));
    const steps = [...this.choice.options].find(({ value }) => value === "footfall");
    if (steps) steps.selected = true; // of a walk, a step is what one asks for
    this.choice.addEventListener("change", () => this.showFlow(true));
    const flow = el("figure", {}, el("figcaption", {}, "Where the energy went"), el("div", { class: "row" }, this.choice, this.range), this.sankey, this.books);
    parent.append(flow, this.stack.figure, ...(this.ports.length > 0 ? [this.power.figure] : []));
    window.onChange(() => this.refresh());
    new ResizeObserver(() => this.refresh()).observe(parent);
  }

  grow(scene: Scene): void {
    this.scene = scene;
    this.refresh();
    this.showFlow(true);
  }

  /** Only what is looked at is drawn. */
  setVisible(visible: boolean): void {
    this.visible = visible;
    this.refresh();
    this.showFlow(true);
  }

  private refresh(): void {
    if (!this.visible || this.parent.clientWidth === 0 || this.scene.ledger.rows === 0) return;
    const rows = drawnRows(this.scene, this.window.from, this.window.to);
    const t = rows.map((i) => this.scene.ledger.t[i]!);
    this.drawStack(rows, t);
    if (this.ports.length > 0) this.drawPower(rows, t);
    this.show(this.window.playback.time);
  }

  private drawStack(rows: number[], t: number[]): void {
    const { states, ledger } = this.scene;
    const column = (name: string): ArrayLike<number> => states.columns.find((c) => c.name === name)!.value;
    const kinetic = column("kinetic");
    const potential = column("potential");
    let lowest = Infinity;
    for (let i = 0; i < potential.length; ++i) lowest = Math.min(lowest, potential[i]!);
    const at = t.map((time) => rowAt(states.t, time));
    const parts = [at.map((i) => potential[i]! - lowest), at.map((i) => kinetic[i]!)];
    for (const e of this.storing) {
      const stored = ledgerColumn(ledger, e, 2);
      parts.push(rows.map((i) => stored[i]!));
    }
    const sums = parts.map(() => [] as number[]);
    t.forEach((_, i) => parts.reduce((sum, part, k) => (sums[k]![i] = sum + part[i]!), 0));
    this.stack.set(t, sums, Math.min(0, ...sums.flat().filter(Number.isFinite)));
  }

  private drawPower(rows: number[], t: number[]): void {
    const series = this.ports.map((e) => {
      const delivered = ledgerColumn(this.scene.ledger, e, 1);
      return rows.map((row, i) => {
        const from = rows[Math.max(0, i - 1)]!;
        const to = i === 0 ? rows[Math.min(1, rows.length - 1)]! : row;
        const span = this.scene.ledger.t[to]! - this.scene.ledger.t[from]!;
        return span > 0 ? (delivered[to]! - delivered[from]!) / span : 0;
      });
    });
    this.power.set(t, series, null);
  }

  show(time: number): void {
    if (!this.visible) return;
    this.stack.show(time);
    if (this.ports.length > 0) this.power.show(time);
    this.showFlow(false);
  }

  redraw(): void {
    this.stack.plot.redraw(false, true);
    this.power.plot.redraw(false, true);
  }

  private interval(): Interval {
    const all = { from: this.window.playback.start, to: this.window.playback.end };
    if (this.choice.value === "") return all;
    return stepAround(this.scene, this.choice.value, this.window.playback.time) ?? all;
  }

  private showFlow(anyway: boolean): void {
    if (!this.visible) return;
    const interval = this.interval();
    const key = `${this.choice.value} ${interval.from} ${interval.to}`;
    if (key === this.last && !anyway) return;
    this.last = key;
    this.range.textContent = `${interval.from.toFixed(3)} s to ${interval.to.toFixed(3)} s`;
    const flow = flowBetween(this.scene, interval);
    this.sankey.replaceChildren(drawSankey(flow));
    this.books.replaceChildren(bookTable(flow));
  }
}

/** Elements beside kinetic energy, height and impacts, which have colours of their own. */
function elementColor(index: number): string {
  const others = [5, 3, 0];
  return curveColor(others[index % others.length]!);
}

function streamColor(stream: Stream, index: number): string {
  if (stream.kind === "kinetic") return color("kinetic");
  if (stream.kind === "potential") return color("potential");
  if (stream.kind === "events") return color("impacts");
  return elementColor(index);
}

/** Bands as wide as the energy: from what gave it, through the motion, to what took it. */
function drawSankey(flow: Flow): Element {
  const { sources, sinks } = streams(flow);
  const total = Math.max(sum(sources), sum(sinks));
  if (!(total > 0)) return el("p", { class: "muted" }, "Nothing was exchanged.");
  const tall = 160;
  const slots = Math.max(sources.length, sinks.length);
  const height = Math.max(tall + 24, 34 * slots + 40);
  const picture = svg("svg", { viewBox: `0 0 620 ${height}`, role: "img", "aria-label": describe(sources, sinks) });
  const scale = tall / total;
  const middle = { x: 244, wide: 36, top: (height - tall) / 2 };
  const center = middle.x + middle.wide / 2;
  picture.append(svg("rect", { x: middle.x, y: middle.top, width: middle.wide, height: tall, rx: 4, class: "motion" }));
  const label = svg("text", { x: center, y: height / 2, class: "in-motion", transform: `rotate(-90 ${center} ${height / 2})` }, "motion");
  for (const [list, left] of [[sources, true], [sinks, false]] as const) {
    const slot = list.map((stream) => Math.max(stream.joules * scale + 10, 34)); // room for two lines of text
    let y = (height - slot.reduce((a, b) => a + b, 0)) / 2;
    let inner = middle.top;
    list.forEach((stream, i) => {
      const thick = Math.max(1, stream.joules * scale);
      const outerX = left ? 150 : 374;
      const innerX = left ? middle.x : middle.x + middle.wide;
      const at = y + slot[i]! / 2;
      const text = { x: left ? outerX - 8 : outerX + 8, "text-anchor": left ? "end" : "start" };
      const most = left ? 20 : 34;
      picture.append(
        svg("path", { d: ribbon(outerX, at - thick / 2, innerX, inner, thick), fill: streamColor(stream, i), "fill-opacity": 0.8 }),
        svg("text", { ...text, y: at - 2 }, stream.name.length > most ? `${stream.name.slice(0, most - 1)}…` : stream.name),
        svg("text", { ...text, y: at + 13, class: "amount" }, `${shown(stream.joules)} J`),
      );
      y += slot[i]!;
      inner += thick;
    });
  }
  picture.append(label);
  return picture;
}

const sum = (list: Stream[]): number => list.reduce((s, x) => s + x.joules, 0);

function describe(sources: Stream[], sinks: Stream[]): string {
  const say = (list: Stream[]): string => list.map((s) => `${s.name} ${shown(s.joules)} joules`).join(", ") || "nothing";
  return `Energy came from: ${say(sources)}. It went to: ${say(sinks)}.`;
}

function ribbon(x0: number, y0: number, x1: number, y1: number, thick: number): string {
  const m = (x0 + x1) / 2;
  return `M${x0} ${y0} C${m} ${y0} ${m} ${y1} ${x1} ${y1} V${y1 + thick} C${m} ${y1 + thick} ${m} ${y0 + thick} ${x0} ${y0 + thick} Z`;
}

function bookTable(flow: Flow): HTMLElement {
  const largest = Math.max(...flow.entries.flatMap((e) => [e.supplied, e.delivered, e.stored, e.dissipated].map(Math.abs)), flow.losses);
  const number = (x: number): HTMLElement => el("td", { class: "number" }, Math.abs(x) < 1e-9 * largest ? "0" : shown(x));
  const rows = flow.entries.map((e) => el("tr", {}, el("th", { scope: "row" }, e.name), number(e.supplied), number(e.delivered), number(e.stored), number(e.dissipated)));
  const head = el("tr", {}, ...["J", "supplied", "delivered", "stored", "dissipated"].map((text) => el("th", { scope: "col" }, text)));
  const total = (text: string, x: number): HTMLElement => el("tr", { class: "total" }, el("th", { scope: "row", colspan: 4 }, text), number(x));
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows), el("tfoot", {}, total("lost in impacts and other events", flow.losses), total("change of the motion's energy", flow.kinetic + flow.potential), el("tr", { class: "total" }, el("th", { scope: "row", colspan: 4 }, "residual of the books"), el("td", { class: "number" }, shown(flow.residual)))));
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Energy ledger" }, table);
}
