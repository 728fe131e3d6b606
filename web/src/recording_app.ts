import { about } from "./about.ts";
import { byId, el } from "./dom.ts";
import { EnergyPanel } from "./energy.ts";
import { PhasePanel } from "./phase.ts";
import { Playback } from "./playback.ts";
import { Plots, TimeWindow } from "./plots.ts";
import type { Scene } from "./scene.ts";
import { makeTabs, otherTheme, say } from "./shell.ts";
import { follow } from "./source.ts";
import { Timeline } from "./timeline.ts";
import { View3d } from "./view3d.ts";

const TABS = ["plots", "energy", "phase", "about"] as const;
const SLOW = 30; // frames a second: fewer look jerky

/** Of the last state: where rows are gathered, the table has the first of each. */
function lastTime(scene: Scene): number {
  return Math.max(scene.states.t.at(-1) ?? 0, scene.frames.t.at(-1) ?? 0);
}

/** The page of a recording. */
export class RecordingApp {
  private readonly playback: Playback;
  private readonly window: TimeWindow;
  private readonly timeline: Timeline;
  private readonly plots: Plots;
  private readonly energy: EnergyPanel;
  private readonly phase: PhasePanel;
  private view: View3d | null = null;
  private moved = true;
  private lastFrame = 0;
  private drawn = 0;
  private countedFrom = 0;

  constructor(
    private scene: Scene,
    live: boolean,
  ) {
    this.playback = new Playback(scene.states.t[0] ?? 0, lastTime(scene));
    this.window = new TimeWindow(this.playback);
    byId("name").textContent = scene.name;
    document.title = `${scene.name} — Amble`;
    this.describe(live);
    byId("app").hidden = false;
    this.makeView();
    this.timeline = new Timeline(scene, this.playback);
    this.plots = new Plots(byId("plots"), scene, this.window);
    this.energy = new EnergyPanel(byId("energy"), scene, this.window);
    this.phase = new PhasePanel(byId("phase"), scene, this.playback);
    about(byId("about"), scene, this.playback);
    this.playback.onChange(() => (this.moved = true));
    makeTabs(TABS, (tab) => this.chosen(tab));
    this.addKeys();
    byId("theme").addEventListener("click", () => this.toggleTheme());
    byId("help").addEventListener("click", () => byId<HTMLDialogElement>("keys").showModal());
    if (live) follow(scene, (more) => this.grow(more), (text) => this.trouble(text));
    requestAnimationFrame((now) => this.tick(now));
  }

  private describe(live: boolean): void {
    const { scene } = this;
    byId("file").textContent = scene.file;
    byId("state").textContent = live && !scene.complete ? "live" : scene.complete ? "" : "not complete";
    byId("state").hidden = byId("state").textContent === "";
  }

  private makeView(): void {
    const host = byId("view");
    try {
      this.view = new View3d(host, this.scene);
    } catch {
      host.append(el("p", { class: "muted no-3d" }, "This browser has no WebGL, so there is no 3D picture. Everything else works."));
      return;
    }
    const box = byId("layers");
    const followBox = el("input", { type: "checkbox", id: "follow" });
    followBox.checked = true;
    followBox.addEventListener("change", () => this.view && (this.view.follow = followBox.checked));
    box.append(el("label", {}, followBox, "Follow the robot", el("kbd", { "aria-hidden": "true" }, "F")));
    this.addLayers();
    byId("home").addEventListener("click", () => this.view?.home());
    if (matchMedia("(max-width: 800px)").matches) byId<HTMLDetailsElement>("layer-box").open = false;
  }

  /** What there is to draw may come later: a robot that falls has contacts when it lands. */
  private addLayers(): void {
    const box = byId("layers");
    this.view?.layers.forEach((layer, i) => {
      if (!layer.available || box.querySelector(`[data-layer=${layer.id}]`)) return;
      const input = el("input", { type: "checkbox", "data-layer": layer.id });
      input.checked = layer.on;
      input.addEventListener("change", () => this.view?.setLayer(layer.id, input.checked));
      const label = el("label", {}, input, layer.label, el("kbd", { "aria-hidden": "true" }, String((i + 1) % 10)));
      const after = [...box.querySelectorAll<HTMLElement>("[data-layer]")].find((other) => this.place(other) > i);
      box.insertBefore(label, after?.parentElement ?? byId("follow").parentElement);
    });
  }
  private place(input: HTMLElement): number {
    return this.view?.layers.findIndex((layer) => layer.id === input.dataset["layer"]) ?? -1;
  }

  private grow(scene: Scene): void {
    const atEnd = this.playback.time >= this.playback.end - 1e-9;
    this.scene = scene;
    this.playback.end = lastTime(scene);
    this.view?.grow(scene);
    this.addLayers();
    this.plots.grow(scene);
    this.energy.grow(scene);
    this.phase.grow(scene);
    about(byId("about"), scene, this.playback);
    this.timeline.grow(scene);
    this.describe(true);
    if (atEnd && !this.playback.playing) this.playback.seek(this.playback.end);
  }

  private trouble(text: string): void {
    say(text === "" ? "" : `The recording cannot be followed: ${text}`);
  }

  // ---- tabs

  private chosen(tab: string): void {
    this.energy.setVisible(tab === "energy");
    this.phase.setVisible(tab === "phase");
    this.moved = true;
  }

  // ---- keys

  private addKeys(): void {
    const frames = (): Float64Array => this.scene.frames.t;
    const second = (by: number): void => this.playback.seek(this.playback.time + by);
    const keys: Record<string, (event: KeyboardEvent) => void> = {
      " ": () => this.playback.toggle(),
      k: () => this.playback.toggle(),
      ArrowRight: (e) => (e.shiftKey ? second(1) : this.playback.step(frames(), 1)),
      ArrowLeft: (e) => (e.shiftKey ? second(-1) : this.playback.step(frames(), -1)),
      Home: () => this.playback.seek(this.playback.start),
      End: () => this.playback.seek(this.playback.end),
      "]": () => this.playback.faster(1),
      "[": () => this.playback.faster(-1),
      l: () => this.playback.setLoop(!this.playback.loop),
      n: () => this.jump(1),
      p: () => this.jump(-1),
      f: () => byId("follow").click(),
      h: () => this.view?.home(),
      t: () => this.toggleTheme(),
      z: () => this.window.reset(),
      "?": () => byId<HTMLDialogElement>("keys").showModal(),
    };
    document.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      const typing = target.matches("input[type=search], select, dialog *");
      const pressed = target.matches("button, summary, input[type=checkbox]") && (event.key === " " || event.key === "Enter");
      if (typing || pressed || event.ctrlKey || event.metaKey || event.altKey) return;
      const layer = /^[0-9]$/.test(event.key) ? this.view?.layers[(Number(event.key) + 9) % 10] : undefined;
      if (layer) document.querySelector<HTMLInputElement>(`[data-layer=${layer.id}]`)?.click();
      else if (event.key in keys) keys[event.key]!(event);
      else return;
      event.preventDefault();
    });
  }

  /** To the next event, or the one before. */
  private jump(by: number): void {
    const { time } = this.playback;
    const times = this.scene.events.map((e) => e.t);
    const next = by > 0 ? times.find((t) => t > time + 1e-9) : times.reverse().find((t) => t < time - 1e-9);
    if (next !== undefined) this.playback.seek(next);
  }

  private toggleTheme(): void {
    otherTheme();
    this.view?.recolor();
    this.plots.redraw();
    this.energy.redraw();
    this.phase.draw();
    this.timeline.drawMarks();
  }

  // ---- every frame of the screen

  private tick(now: number): void {
    const seconds = Math.min(0.25, (now - this.lastFrame) / 1000);
    this.lastFrame = now;
    this.playback.advance(seconds);
    this.view?.setMoving(this.playback.playing);
    const drew = this.view?.show(this.playback.time, this.moved) ?? false;
    if (this.moved) {
      this.timeline.show();
      this.plots.show(this.playback.time);
      this.energy.show(this.playback.time);
      this.phase.show(this.playback.time);
    }
    this.moved = false;
    this.count(now, drew);
    requestAnimationFrame((later) => this.tick(later));
  }

  private count(now: number, drew: boolean): void {
    if (drew) ++this.drawn;
    if (now - this.countedFrom < 1000) return;
    const rate = (1000 * this.drawn) / (now - this.countedFrom);
    if (this.playback.playing && this.drawn > 1 && rate < SLOW) this.view?.coarser();
    byId("fps").textContent = this.playback.playing && this.view ? `${rate.toFixed(0)} frames/s` : "";
    this.drawn = 0;
    this.countedFrom = now;
  }
}
