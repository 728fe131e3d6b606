import { byId, el } from "./dom.ts";
import { JointPanel } from "./joint_panel.ts";
import type { Model } from "./model.ts";
import { BodyShapes, highlight, modelLayers } from "./model_layers.ts";
import { Card, modelAbout, Summary, treePanel } from "./model_panels.ts";
import { ModelState, pose, sceneOf } from "./model_state.ts";
import type { Scene } from "./scene.ts";
import { makeTabs, otherTheme } from "./shell.ts";
import { View3d } from "./view3d.ts";
import type * as THREE from "three";

const TABS = ["joints", "tree", "model-about"] as const;

/** The page of a model that is only looked at. */
export class ModelApp {
  private readonly state: ModelState;
  private readonly scene: Scene;
  private view: View3d | null = null;
  private links: THREE.Object3D[] = [];
  private moved = true;
  private pointed: { x: number; y: number } | null = null;

  constructor(model: Model) {
    this.state = new ModelState(model);
    this.scene = sceneOf(model);
    byId("name").textContent = model.name;
    byId("file").textContent = model.file;
    document.title = `${model.name} — Amble`;
    byId("app").classList.add("of-model");
    byId("app").hidden = false;
    for (const id of ["panel", "transport", "recording-keys"]) byId(id).hidden = true;
    for (const id of ["model", "model-keys"]) byId(id).hidden = false;
    pose(this.scene, this.state);
    this.makeView();
    new JointPanel(byId("joints"), this.state, new Summary(this.state).element);
    treePanel(byId("tree"), this.state);
    modelAbout(byId("model-about"), this.state);
    makeTabs(TABS, () => {});
    this.state.onChange(() => this.follow());
    this.addKeys();
    byId("theme").addEventListener("click", () => this.toggleTheme());
    byId("help").addEventListener("click", () => byId<HTMLDialogElement>("keys").showModal());
    requestAnimationFrame(() => this.tick());
  }

  private makeView(): void {
    const host = byId("view");
    const { state } = this;
    let shapes: { visual: BodyShapes; collision: BodyShapes } | null = null;
    try {
      this.view = new View3d(host, this.scene, {
        fit: true,
        shapes: state.model.shapes.length,
        asGiven: hasColors(state.model),
        decorate: (links, painter) => {
          this.links = links;
          const of = (collision: boolean): BodyShapes => new BodyShapes(state.model, links, painter, collision);
          shapes = { visual: of(false), collision: of(true) };
        },
        layers: (scene, size) => modelLayers(state, shapes!)(scene, size),
      });
    } catch {
      host.append(el("p", { class: "muted no-3d" }, "This browser has no WebGL, so there is no 3D picture. Everything else works."));
      return;
    }
    this.addLayers(this.view);
    this.addPointing(this.view);
    host.append(new Card(state).element);
    byId("home").addEventListener("click", () => this.view?.home());
    if (matchMedia("(max-width: 800px)").matches) byId<HTMLDetailsElement>("layer-box").open = false;
  }

  private addLayers(view: View3d): void {
    const box = byId("layers");
    view.layers.forEach((layer, i) => {
      if (!layer.available || layer.id === "chosen") return;
      const input = el("input", { type: "checkbox", "data-layer": layer.id });
      input.checked = layer.on;
      input.addEventListener("change", () => view.setLayer(layer.id, input.checked));
      box.append(el("label", {}, input, layer.label, el("kbd", { "aria-hidden": "true" }, String((i + 1) % 10))));
    });
  }

  // ---- pointing at bodies

  private addPointing(view: View3d): void {
    const tip = el("div", { id: "tip", hidden: true, "aria-hidden": "true" });
    byId("view").append(tip);
    let down = { x: 0, y: 0 };
    view.canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY }));
    view.canvas.addEventListener("pointermove", (e) => (this.pointed = e.buttons === 0 && e.pointerType === "mouse" ? { x: e.clientX, y: e.clientY } : null));
    view.canvas.addEventListener("pointerleave", () => ((this.pointed = null), (tip.hidden = true)));
    view.canvas.addEventListener("click", (e) => {
      if (Math.hypot(e.clientX - down.x, e.clientY - down.y) > 4) return;
      const body = this.bodyAt(e.clientX, e.clientY);
      this.state.select(body === null ? null : { kind: "body", index: body });
    });
  }

  private bodyAt(x: number, y: number): number | null {
    const found = this.view?.pick(x, y, (object) => typeof object.userData["body"] === "number" && "isMesh" in object);
    const body = found?.userData["body"] as number | undefined;
    return body === undefined || body < 0 ? null : body;
  }

  private showTip(): void {
    if (this.pointed === null) return;
    const tip = byId("tip");
    const { x, y } = this.pointed;
    this.pointed = null;
    const body = this.bodyAt(x, y);
    tip.hidden = body === null;
    if (body === null) return;
    const box = byId("view").getBoundingClientRect();
    tip.textContent = this.state.model.bodies[body]!.name;
    tip.style.left = `${Math.min(x - box.left + 14, box.width - 160)}px`;
    tip.style.top = `${y - box.top + 14}px`;
  }

  // ---- what changes

  private follow(): void {
    pose(this.scene, this.state);
    const { selection, model } = this.state;
    const body = selection === null ? null : selection.kind === "body" ? selection.index : selection.kind === "joint" ? model.joints[selection.index]!.child : model.frames[selection.index]!.body;
    highlight(this.links, body);
    this.moved = true;
  }

  private addKeys(): void {
    const { state } = this;
    const keys: Record<string, () => void> = {
      h: () => this.view?.home(),
      t: () => this.toggleTheme(),
      r: () => state.setPosture(state.model.q),
      n: () => state.setPosture(state.model.coordinates.map((c) => c.neutral)),
      Escape: () => state.select(null),
      "?": () => byId<HTMLDialogElement>("keys").showModal(),
    };
    document.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      if (target.matches("input:not([type=checkbox]):not([type=range]), select, dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
      const layer = /^[0-9]$/.test(event.key) ? this.view?.layers[(Number(event.key) + 9) % 10] : undefined;
      if (layer) document.querySelector<HTMLInputElement>(`[data-layer=${layer.id}]`)?.click();
      else if (Object.hasOwn(keys, event.key)) keys[event.key]!();
      else return;
      event.preventDefault();
    });
  }

  private toggleTheme(): void {
    otherTheme();
    this.view?.recolor();
  }

  private tick(): void {
    this.showTip();
    this.view?.show(0, this.moved);
    this.moved = false;
    requestAnimationFrame(() => this.tick());
  }
}

/** Whether the file chose colors: one grey for everything is nobody's choice. */
function hasColors(model: Model): boolean {
  const colors = new Set(model.shapes.filter((s) => !s.collision && s.color !== null).map((s) => s.color!.join(" ")));
  return colors.size > 1;
}
