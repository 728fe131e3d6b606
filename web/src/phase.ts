import { color } from "./colors.ts";
import { el, option } from "./dom.ts";
import { kindOf, repeatedEvents, timesOf } from "./energy_flow.ts";
import type { Playback } from "./playback.ts";
import { rowAt, type Column, type Scene } from "./scene.ts";
import { XyPlot } from "./xy_plot.ts";

const MOST_POINTS = 20000;

/** The value of a signal at each event of a name or kind: its return map is each of them over the one before. */
export function valuesAtEvents(scene: Scene, event: string, column: Column): number[] {
  return timesOf(scene, event).map((t) => column.value[rowAt(scene.states.t, t)]!);
}

/** Every `step`th number of a signal. */
function thinned(column: Column, rows: number): number[] {
  const step = Math.max(1, Math.ceil(rows / MOST_POINTS));
  const out = [];
  for (let i = 0; i < rows; i += step) out.push(column.value[i]!);
  return out;
}

/** Phase portraits of any two signals, and return maps from one event to the next. */
export class PhasePanel {
  private readonly portrait: XyPlot;
  private readonly map: XyPlot | null = null;
  private readonly across: HTMLSelectElement;
  private readonly up: HTMLSelectElement;
  private readonly event = el("select", { "aria-label": "Event of the return map" });
  private readonly signal: HTMLSelectElement;
  private visible = false;
  private drawnAt = NaN;

  constructor(
    parent: HTMLElement,
    private scene: Scene,
    private readonly playback: Playback,
  ) {
    this.across = this.signalChoice("Across");
    this.up = this.signalChoice("Up");
    this.signal = this.signalChoice("Signal of the return map");
    this.chooseFirst();
    const canvas = el("canvas", { class: "xy", role: "img", "aria-label": "Phase portrait of the two chosen signals" });
    const choices = el("div", { class: "row" }, el("label", {}, "across ", this.across), el("label", {}, "up ", this.up));
    parent.append(el("figure", {}, el("figcaption", {}, "Phase portrait"), choices, canvas));
    this.portrait = new XyPlot(canvas);
    const events = repeatedEvents(scene, 3);
    const figure = el("figure", {}, el("figcaption", {}, "Return map"));
    if (events.length > 0) {
      const mapCanvas = el("canvas", { class: "xy", role: "img", "aria-label": "Return map: the signal at an event over the event before" });
      for (const name of events) this.event.append(option(name, name));
      // Of legs that take turns, one after the other would be compared: one leg's events come back to themselves.
      this.event.value = events.find((name) => name !== kindOf(name)) ?? events[0]!;
      figure.append(el("div", { class: "row" }, el("label", {}, "of ", this.signal), el("label", {}, "at ", this.event)), mapCanvas);
      this.map = new XyPlot(mapCanvas);
    } else {
      figure.append(el("p", { class: "muted" }, "No event of this recording happens three times or more, as a return map needs."));
    }
    parent.append(figure);
    for (const choice of [this.across, this.up, this.event, this.signal]) choice.addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(parent);
  }

  private signalChoice(label: string): HTMLSelectElement {
    const select = el("select", { "aria-label": label });
    this.scene.states.columns.forEach((c, i) => select.append(option(String(i), c.name)));
    return select;
  }

  /** The first joint's angle and its rate. */
  private chooseFirst(): void {
    const { columns } = this.scene.states;
    const angle = Math.max(0, columns.findIndex((c) => c.group === "q" && c.unit === "rad"));
    const joint = columns[angle]?.name.slice(2);
    const rate = columns.findIndex((c) => c.group === "v" && c.name.slice(2) === joint);
    this.across.value = this.signal.value = String(angle);
    this.up.value = String(rate >= 0 ? rate : columns.findIndex((c) => c.group === "v"));
    if (this.up.value === "") this.up.value = "0";
  }

  grow(scene: Scene): void {
    this.scene = scene;
    this.draw();
  }
  setVisible(visible: boolean): void {
    this.visible = visible;
    this.draw();
  }
  show(time: number): void {
    if (this.visible && time !== this.drawnAt) this.drawPortrait();
  }
  draw(): void {
    if (!this.visible) return;
    this.drawPortrait();
    this.drawMap();
  }

  private column(choice: HTMLSelectElement): Column {
    return this.scene.states.columns[Number(choice.value)]!;
  }

  private drawPortrait(): void {
    const [x, y] = [this.column(this.across), this.column(this.up)];
    const { rows, t } = this.scene.states;
    const xs = thinned(x, rows);
    const ys = thinned(y, rows);
    const row = rowAt(t, this.playback.time);
    this.drawnAt = this.playback.time;
    this.portrait.begin(xs, ys, label(x), label(y));
    this.portrait.curve(xs, ys, color("stanceLeg"), 0.75);
    this.portrait.dots([x.value[row]!], [y.value[row]!], color("swingLeg"), 5);
  }

  private drawMap(): void {
    if (this.map === null) return;
    const column = this.column(this.signal);
    const values = valuesAtEvents(this.scene, this.event.value, column);
    const [before, after] = [values.slice(0, -1), values.slice(1)];
    const webX = before.flatMap((x, i) => [x, after[i]!]);
    const webY = after.flatMap((y) => [y, y]);
    this.map.begin(values, values, `${label(column)} at an event`, "at the next");
    this.map.diagonal();
    this.map.curve(webX, webY, color("faint"), 0.6);
    this.map.dots(before, after, color("stanceLeg"), 3.5);
  }
}

function label(column: Column): string {
  return column.unit === "" || column.unit === "1" ? column.name : `${column.name} (${column.unit})`;
}
