import { curveColor } from "./colors.ts";
import { byId, el, option, themed } from "./dom.ts";
import { SPEEDS, type Playback } from "./playback.ts";
import { rowAt, type Scene } from "./scene.ts";

/** Play, step, speed, loop, and a slider over the marks of what happened. */
export class Timeline {
  private readonly slider = byId<HTMLInputElement>("time");
  private readonly play = byId<HTMLButtonElement>("play");
  private readonly speed = byId<HTMLSelectElement>("speed");
  private readonly loop = byId<HTMLButtonElement>("loop");
  private readonly clock = byId("clock");
  private readonly happened = byId("happened");
  private readonly canvas = byId<HTMLCanvasElement>("marks");

  constructor(
    private scene: Scene,
    private readonly playback: Playback,
  ) {
    for (const speed of SPEEDS) this.speed.append(option(String(speed), `${speed}×`));
    this.slider.addEventListener("input", () => playback.seek(Number(this.slider.value)));
    this.play.addEventListener("click", () => playback.toggle());
    byId("first").addEventListener("click", () => playback.seek(playback.start));
    byId("back").addEventListener("click", () => playback.step(this.scene.frames.t, -1));
    byId("forward").addEventListener("click", () => playback.step(this.scene.frames.t, 1));
    byId("last").addEventListener("click", () => playback.seek(playback.end));
    this.loop.addEventListener("click", () => playback.setLoop(!playback.loop));
    this.speed.addEventListener("change", () => playback.setSpeed(Number(this.speed.value)));
    this.canvas.addEventListener("click", (event) => {
      const share = event.offsetX / this.canvas.clientWidth;
      playback.seek(playback.start + share * (playback.end - playback.start));
    });
    new ResizeObserver(() => this.drawMarks()).observe(this.canvas);
    this.grow(scene);
  }

  grow(scene: Scene): void {
    this.scene = scene;
    const { start, end } = this.playback;
    this.slider.min = String(start);
    this.slider.max = String(end);
    this.slider.step = String(Math.max((end - start) / 1e6, 1e-9));
    this.drawMarks();
    this.show();
  }

  /** A line for each event, in a colour for each name, as many as there are pixels. */
  drawMarks(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = Math.min(2, window.devicePixelRatio);
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const c = this.canvas.getContext("2d")!;
    c.scale(ratio, ratio);
    const { start, end } = this.playback;
    const names = [...new Set(this.scene.events.map((e) => e.name))];
    c.fillStyle = themed("--line");
    c.fillRect(0, height - 1, width, 1);
    for (const { t, name } of this.scene.events) {
      c.fillStyle = curveColor(names.indexOf(name));
      c.fillRect(((t - start) / Math.max(1e-12, end - start)) * (width - 2), 2, 2, height - 4);
    }
  }

  show(): void {
    const { time, end, playing, loop, speed } = this.playback;
    if (document.activeElement !== this.slider || Number(this.slider.value) !== time) this.slider.value = String(time);
    const text = `${time.toFixed(3)} s`;
    if (this.clock.textContent !== `${text} of ${end.toFixed(3)} s`) this.clock.textContent = `${text} of ${end.toFixed(3)} s`;
    this.slider.setAttribute("aria-valuetext", text);
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.play.classList.toggle("playing", playing);
    this.loop.setAttribute("aria-pressed", String(loop));
    this.speed.value = String(speed);
    const said = this.lastEvent(time);
    if (this.happened.textContent !== said) this.happened.textContent = said;
  }

  private lastEvent(time: number): string {
    const { events } = this.scene;
    if (events.length === 0) return "";
    const times = Float64Array.from(events, (e) => e.t);
    const i = rowAt(times, time);
    return events[i]!.t <= time ? `${events[i]!.name} at ${events[i]!.t.toFixed(3)} s` : "";
  }
}

/** What happened, as a list to jump from. */
export function eventList(scene: Scene, playback: Playback): HTMLElement {
  const most = 500;
  const names = [...new Set(scene.events.map((e) => e.name))];
  const list = el("ol", { class: "events" });
  for (const event of scene.events.slice(0, most)) {
    const swatch = el("span", { class: "swatch" });
    swatch.style.background = curveColor(names.indexOf(event.name));
    const lost = event.lost === 0 ? "" : ` ${event.lost.toPrecision(4)} J lost`;
    const jump = el("button", { type: "button", class: "quiet", onclick: () => playback.seek(event.t) }, swatch, `${event.t.toFixed(4)} s  ${event.name}`, el("span", { class: "muted" }, lost));
    list.append(el("li", {}, jump));
  }
  if (scene.events.length > most) list.append(el("li", { class: "muted" }, `and ${scene.events.length - most} more`));
  return scene.events.length === 0 ? el("p", { class: "muted" }, "Nothing happened.") : list;
}
