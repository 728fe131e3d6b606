import uPlot from "uplot";
import { curveColor } from "./colors.ts";
import { el, shown, themed } from "./dom.ts";
import type { Playback } from "./playback.ts";
import { Pyramid, stretch } from "./pyramid.ts";
import { rowAt, type Column, type Scene, type Table } from "./scene.ts";

const POINTS = 1600;

/** Axes in the colours of the theme: functions, so that a change of theme is seen at the next drawing. */
function axis(label: string, size: number): uPlot.Axis {
  return {
    label,
    labelSize: 18,
    labelFont: "12px system-ui, sans-serif",
    font: "11px system-ui, sans-serif",
    stroke: () => themed("--muted"),
    grid: { stroke: () => themed("--line"), width: 1 },
    ticks: { stroke: () => themed("--line"), width: 1, size: 4 },
    size,
    values: (_, ticks) => ticks.map((x) => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(0) : String(+x.toFixed(4)))),
  };
}

export function plotOptions(label: string, width: number, height: number, series: uPlot.Series[]): uPlot.Options {
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
    scales: { x: { time: false } },
    axes: [{ ...axis("", 26), labelSize: 0 }, axis(label, 54)],
    series: [{}, ...series],
  };
}

/** The line at the current time: an element over the plot, since drawing a plot anew for each frame would be slow. */
function cursorLine(plot: uPlot): HTMLElement {
  const line = el("div", { class: "now", "aria-hidden": "true" });
  plot.over.append(line);
  return line;
}

interface OnePlot {
  unit: string;
  columns: Column[];
  colors: string[];
  plot: uPlot;
  line: HTMLElement;
  values: HTMLElement[];
}

/** The range of time that all plots show. */
export class TimeWindow {
  from: number;
  to: number;
  private readonly listeners: (() => void)[] = [];
  constructor(readonly playback: Playback) {
    this.from = playback.start;
    this.to = playback.end;
  }
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  set(from: number, to: number): void {
    this.from = Math.max(this.playback.start, from);
    this.to = Math.min(this.playback.end, to);
    for (const listener of this.listeners) listener();
  }
  reset(): void {
    this.set(this.playback.start, this.playback.end);
  }
}

/** Lets a drag choose a window, a click a time, a double click everything. */
export function linkToTime(plot: uPlot, window: TimeWindow): void {
  let dragged = false;
  plot.hooks.setSelect = [
    (u): void => {
      if (u.select.width < 4) return;
      dragged = true;
      window.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    },
  ];
  plot.over.addEventListener("pointerdown", () => (dragged = false));
  plot.over.addEventListener("click", (event) => {
    if (!dragged) window.playback.seek(plot.posToVal(event.offsetX, "x"));
  });
  plot.over.addEventListener("dblclick", () => window.reset());
}

/** Plots of signals that a person chose, one for each unit, in step with the motion. */
export class Plots {
  private plots: OnePlot[] = [];
  private readonly chosen = new Set<string>();
  private readonly pyramids = new Map<Column, Pyramid>();
  private readonly host = el("div", { class: "plots" });
  private readonly picker = el("div", { class: "picker" });
  private readonly counted = el("span", { class: "muted" });

  constructor(
    parent: HTMLElement,
    private scene: Scene,
    private readonly window: TimeWindow,
  ) {
    parent.append(this.makePicker(), this.host);
    for (const name of this.firstChoice()) this.chosen.add(name);
    this.fillPicker("");
    this.build();
    window.onChange(() => this.refresh());
    new ResizeObserver(() => this.resize()).observe(this.host);
  }

  private get table(): Table {
    return this.scene.states;
  }

  /** Energies, what presses on bodies, and a few joints: enough to see that something happens. */
  private firstChoice(): string[] {
    const names = (group: string, most: number): string[] =>
      this.table.columns.filter((c) => c.group === group).slice(0, most).map((c) => c.name);
    const joints = this.table.columns.filter((c) => c.group === "q" && c.unit === "rad").slice(0, 3).map((c) => c.name);
    return [...names("energy", 3), ...names("contact", 4), ...(joints.length > 0 ? joints : names("q", 3))];
  }

  private makePicker(): HTMLElement {
    const search = el("input", { type: "search", placeholder: "Find a signal", "aria-label": "Find a signal" });
    search.addEventListener("input", () => this.fillPicker(search.value));
    const none = el("button", { type: "button", class: "quiet", onclick: () => this.choose([]) }, "Clear");
    const head = el("summary", {}, "Signals ", this.counted);
    return el("details", { class: "signals" }, head, el("div", { class: "row" }, search, none), this.picker);
  }

  private fillPicker(words: string): void {
    const wanted = words.trim().toLowerCase();
    const groups = new Map<string, Column[]>();
    for (const column of this.table.columns)
      if (column.name.toLowerCase().includes(wanted)) groups.set(column.group, [...(groups.get(column.group) ?? []), column]);
    this.picker.replaceChildren();
    for (const [group, columns] of groups) {
      const set = el("fieldset", {}, el("legend", {}, GROUPS[group] ?? group));
      for (const column of columns) {
        const box = el("input", { type: "checkbox" });
        box.checked = this.chosen.has(column.name);
        box.addEventListener("change", () => {
          if (box.checked) this.chosen.add(column.name);
          else this.chosen.delete(column.name);
          this.build();
        });
        set.append(el("label", {}, box, column.name, el("span", { class: "muted" }, ` ${column.unit}`)));
      }
      this.picker.append(set);
    }
    if (groups.size === 0) this.picker.append(el("p", { class: "muted" }, "No signal has that in its name."));
  }

  choose(names: string[]): void {
    this.chosen.clear();
    for (const name of names) this.chosen.add(name);
    this.fillPicker("");
    this.build();
  }

  grow(scene: Scene): void {
    const zoomed = this.window.to < this.scene.states.t.at(-1)!;
    this.scene = scene;
    this.pyramids.clear();
    for (const one of this.plots) one.columns = one.columns.map((c) => this.table.columns.find((d) => d.name === c.name)!);
    if (this.counted.textContent !== this.count()) this.fillPicker(""), (this.counted.textContent = this.count());
    if (!zoomed) this.window.reset();
    else this.refresh();
  }

  private count(): string {
    return `${this.chosen.size} of ${this.table.columns.length}`;
  }

  private build(): void {
    for (const { plot } of this.plots) plot.destroy();
    this.host.replaceChildren();
    this.counted.textContent = this.count();
    const byUnit = new Map<string, Column[]>();
    for (const column of this.table.columns)
      if (this.chosen.has(column.name)) byUnit.set(column.unit, [...(byUnit.get(column.unit) ?? []), column]);
    this.plots = [...byUnit].map(([unit, columns]) => this.makePlot(unit, columns));
    if (this.plots.length === 0) this.host.append(el("p", { class: "muted" }, "Choose signals above to see them here."));
    this.refresh();
    this.show(this.window.playback.time);
  }

  private makePlot(unit: string, columns: Column[]): OnePlot {
    const colors = columns.map((_, i) => curveColor(i));
    const values = columns.map(() => el("output", { class: "number" }));
    const legend = el("ul", { class: "legend" });
    columns.forEach((column, i) => {
      const swatch = el("span", { class: "swatch" });
      swatch.style.background = colors[i]!;
      legend.append(el("li", {}, swatch, column.name, values[i]!));
    });
    const holder = el("div", { class: "plot", role: "img", "aria-label": `Plot of ${columns.map((c) => c.name).join(", ")} over time` });
    this.host.append(el("figure", {}, holder, legend));
    const series = columns.map((c, i): uPlot.Series => ({ label: c.name, stroke: colors[i]!, width: 1.5, points: { show: false } }));
    const plot = new uPlot(plotOptions(unit === "" ? "" : unit, this.width(), 170, series), [[], ...columns.map(() => [])] as uPlot.AlignedData, holder);
    linkToTime(plot, this.window);
    return { unit, columns, colors, plot, line: cursorLine(plot), values };
  }

  private width(): number {
    return Math.max(240, this.host.clientWidth);
  }
  private resize(): void {
    for (const { plot } of this.plots) if (plot.width !== this.width()) plot.setSize({ width: this.width(), height: 170 });
    this.show(this.window.playback.time);
  }

  private pyramid(column: Column): Pyramid {
    let found = this.pyramids.get(column);
    if (found === undefined) this.pyramids.set(column, (found = new Pyramid(column)));
    return found;
  }

  private refresh(): void {
    const { t } = this.table;
    const first = Math.max(0, rowAt(t, this.window.from) - 1);
    const last = Math.min(t.length, rowAt(t, this.window.to) + 2);
    for (const one of this.plots) {
      const pyramids = one.columns.map((c) => this.pyramid(c));
      const data = stretch(t, pyramids, one.columns, first, last, POINTS);
      one.plot.setData([data.t, ...data.series] as uPlot.AlignedData, false);
      const values = data.series.flat().filter((x): x is number => x !== null);
      one.plot.setScale("x", { min: this.window.from, max: this.window.to });
      one.plot.setScale("y", padded(values));
    }
    this.show(this.window.playback.time);
  }

  /** Follows the motion. */
  show(time: number): void {
    const row = rowAt(this.table.t, time);
    for (const { plot, line, columns, values } of this.plots) {
      const x = plot.valToPos(time, "x");
      line.style.transform = `translateX(${x}px)`;
      line.hidden = !(x >= 0 && x <= plot.over.clientWidth);
      columns.forEach((column, i) => (values[i]!.textContent = `${shown(column.value[row] ?? NaN)} ${column.unit}`));
    }
  }

  redraw(): void {
    for (const { plot } of this.plots) plot.redraw(false, true);
  }
}

export const GROUPS: Record<string, string> = { q: "Positions", v: "Velocities", energy: "Energy", contact: "Contact forces" };

/** The range of some numbers with a margin. */
export function padded(values: number[]): { min: number; max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (const x of values) (min = Math.min(min, x)), (max = Math.max(max, x));
  if (!(min <= max)) return { min: 0, max: 1 };
  const rounding = 1e-9 * Math.max(Math.abs(min), Math.abs(max)); // a cycle comes back to itself up to that
  const margin = max - min > rounding ? 0.06 * (max - min) : Math.max(1e-6, 0.1 * Math.abs(max));
  return { min: min - margin, max: max + margin };
}

export { cursorLine };
