import { el } from "./dom.ts";
import type { Model, ModelJoint } from "./model.ts";
import type { ModelState } from "./model_state.ts";
import { anglesOf, fromAngles, type Quaternion, type Vector } from "./pose.ts";

const MOST_ROWS = 400;
const WIDE = 2e6; // limits further apart are a file's way to say that there are none

/** One number that can be moved. */
interface Knob {
  joint: number;
  label: string;
  unit: string;
  min: number;
  max: number;
  limits: [number, number];
  get: () => number;
  set: (x: number) => void;
}

function unlimited(limits: [number, number]): boolean {
  return !(limits[1] - limits[0] <= WIDE);
}

/** Within the limits; what has none gets half a turn or the size of the model to both sides of zero or of its limit. */
function range([lower, upper]: [number, number], unit: string, reach: number): [number, number] {
  if (!unlimited([lower, upper])) return [lower, upper];
  const width = unit === "rad" ? Math.PI : reach;
  if (lower > -WIDE) return [lower, lower + 2 * width];
  if (upper < WIDE) return [upper - 2 * width, upper];
  return [-width, width];
}

/** Turns of a ball as roll, pitch and yaw, which stay as they were moved while they mean the same turn. */
class Angles {
  private angles: Vector = [0, 0, 0];
  constructor(
    private readonly state: ModelState,
    private readonly at: number,
  ) {}
  private get quaternion(): Quaternion {
    return this.state.q.slice(this.at, this.at + 4) as Quaternion;
  }
  get(): Vector {
    const now = this.quaternion;
    const mine = fromAngles(this.angles);
    if (Math.abs(now.reduce((s, x, k) => s + x * mine[k]!, 0)) < 1 - 1e-12) this.angles = anglesOf(now);
    return this.angles;
  }
  set(k: 0 | 1 | 2, angle: number): void {
    this.angles = this.get().slice() as Vector;
    this.angles[k] = angle;
    this.state.setCoordinates(this.at, fromAngles(this.angles));
  }
}

function turnKnobs(state: ModelState, joint: number, name: string, at: number): Knob[] {
  const angles = new Angles(state, at);
  return ([["roll", Math.PI], ["pitch", Math.PI / 2], ["yaw", Math.PI]] as const).map(([word, most], k) => ({
    joint,
    label: `${name} ${word}`,
    unit: "rad",
    min: -most,
    max: most,
    limits: [-Infinity, Infinity],
    get: () => angles.get()[k as 0 | 1 | 2],
    set: (x) => angles.set(k as 0 | 1 | 2, x),
  }));
}

function plainKnob(state: ModelState, joint: number, at: number): Knob {
  const { name, unit, lower, upper } = state.model.coordinates[at]!;
  const [min, max] = range([lower, upper], unit, state.reach);
  return { joint, label: name, unit, min, max, limits: [lower, upper], get: () => state.q[at]!, set: (x) => state.setCoordinates(at, [x]) };
}

function placeKnob(state: ModelState, joint: number, at: number): Knob {
  const middle = state.model.q[at]!;
  return { ...plainKnob(state, joint, at), min: middle - state.reach, max: middle + state.reach };
}

/** The knobs of a joint: one for each coordinate, roll, pitch and yaw for turns of any direction. */
function knobsOf(state: ModelState, joint: ModelJoint, index: number): Knob[] {
  const [first, count] = joint.q;
  if (joint.link < 0 || joint.leader >= 0) return [];
  const motions = state.model.links[joint.link]!.steps.map((step) => step.motion);
  if (motions.includes("custom")) return [];
  if (motions.includes("ball")) return turnKnobs(state, index, joint.name, first);
  if (motions.includes("free")) return [...[0, 1, 2].map((k) => placeKnob(state, index, first + k)), ...turnKnobs(state, index, joint.name, first + 3)];
  return Array.from({ length: count }, (_, k) => plainKnob(state, index, first + k));
}

class Row {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly number: HTMLInputElement;
  private readonly unit = el("span", { class: "unit" });
  constructor(
    readonly knob: Knob,
    private readonly state: ModelState,
    private readonly degrees: () => boolean,
  ) {
    this.slider = el("input", { type: "range", step: "any", min: knob.min, max: knob.max, "aria-label": knob.label });
    this.number = el("input", { type: "number", step: "any", "aria-label": `${knob.label}, value` });
    const name = el("button", { type: "button", class: "quiet name", onclick: () => state.select({ kind: "joint", index: knob.joint }) }, knob.label);
    this.element = el("div", { class: "knob" }, name, this.slider, this.number, this.unit);
    this.slider.addEventListener("input", () => this.move(Number(this.slider.value)));
    this.slider.addEventListener("focus", () => state.select({ kind: "joint", index: knob.joint }));
    this.number.addEventListener("change", () => this.typed());
    this.show();
  }
  private get scale(): number {
    return this.degrees() && this.knob.unit === "rad" ? 180 / Math.PI : 1;
  }
  private typed(): void {
    const x = Number(this.number.value) / this.scale;
    if (this.number.value !== "" && Number.isFinite(x)) this.move(x);
    this.show();
  }
  private move(x: number): void {
    this.knob.set(x);
  }
  show(): void {
    const { knob } = this;
    const x = knob.get();
    if (document.activeElement !== this.slider || Number(this.slider.value) !== x) this.slider.value = String(x);
    if (document.activeElement !== this.number) this.number.value = (x * this.scale).toFixed(this.scale > 1 ? 1 : 3);
    this.unit.textContent = this.scale > 1 ? "°" : knob.unit;
    const beyond = x < knob.limits[0] - 1e-9 || x > knob.limits[1] + 1e-9;
    this.element.classList.toggle("beyond", beyond);
    this.number.setAttribute("aria-invalid", String(beyond));
    const { selection } = this.state;
    this.element.classList.toggle("chosen", selection?.kind === "joint" && selection.index === knob.joint);
  }
}

function fixedJoints(model: Model): string[] {
  return model.joints.filter((j) => j.link >= 0 && model.links[j.link]!.steps.some((s) => s.motion === "custom")).map((j) => j.name);
}

/** Within the limits, or in the ranges of the sliders; free joints stay. Where loops do not close, from another start. */
function randomPosture(state: ModelState, knobs: Knob[]): void {
  const first = state.q;
  const moved = knobs.filter((knob) => state.model.joints[knob.joint]!.type !== "free");
  for (let tries = 0; tries < 8 && (tries === 0 || state.isOpen); ++tries) {
    state.setPosture(first);
    state.quietly(() => moved.forEach((knob) => knob.set(knob.min + Math.random() * (knob.max - knob.min))));
    state.closeLoops();
  }
}

/** Postures as buttons, and a slider for each coordinate. */
export class JointPanel {
  private rows: Row[] = [];
  private readonly list = el("div", { class: "knobs" });
  private readonly search = el("input", { type: "search", placeholder: "Find a joint", "aria-label": "Find a joint" });
  private readonly inDegrees = el("input", { type: "checkbox" });
  private readonly knobs: Knob[];
  constructor(
    parent: HTMLElement,
    private readonly state: ModelState,
    summary: HTMLElement,
  ) {
    const { model } = state;
    this.knobs = model.joints.flatMap((joint, i) => knobsOf(state, joint, i));
    this.search.addEventListener("input", () => this.fill());
    this.inDegrees.addEventListener("change", () => this.show());
    const options = el("div", { class: "row" }, this.search, el("label", { class: "check" }, this.inDegrees, "degrees"));
    if (model.loops.length > 0) options.append(this.loopSwitch());
    parent.append(summary, this.postures(), options, this.list);
    const custom = fixedJoints(model);
    if (custom.length > 0) parent.append(el("p", { class: "muted" }, `Without sliders, since their motion is code: ${custom.join(", ")}`));
    const code = el("code");
    const details = el("details", { class: "posture" }, el("summary", {}, "This posture as q"), code);
    const write = (): void => void (details.open && (code.textContent = `[${state.q.map((x) => Number(x.toPrecision(9))).join(", ")}]`));
    details.addEventListener("toggle", write);
    state.onChange(write);
    parent.append(details);
    this.fill();
    state.onChange(() => this.show());
  }

  private loopSwitch(): HTMLElement {
    const keep = el("input", { type: "checkbox", id: "keep-loops" });
    keep.checked = this.state.keepLoops;
    keep.addEventListener("change", () => {
      this.state.keepLoops = keep.checked;
      if (keep.checked) this.state.closeLoops();
    });
    return el("label", { class: "check" }, keep, "keep loops closed");
  }

  private postures(): HTMLElement {
    const { state } = this;
    const { model } = state;
    const button = (text: string, go: () => void): HTMLElement => el("button", { type: "button", class: "posture", onclick: go }, text);
    const to = (q: readonly number[]) => (): void => state.setPosture(q);
    const neutral = model.coordinates.map((c) => c.neutral);
    return el(
      "div",
      { class: "postures", role: "group", "aria-label": "Postures" },
      button("As first shown", to(model.q)),
      button("Neutral", to(neutral)),
      ...model.keyframes.map(({ name, q }, i) => button(name === "" ? `keyframe ${i}` : name, to(q))),
      button("Random", () => randomPosture(state, this.knobs)),
    );
  }

  private fill(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const found = this.knobs.filter((knob) => knob.label.toLowerCase().includes(wanted));
    this.rows = found.slice(0, MOST_ROWS).map((knob) => new Row(knob, this.state, () => this.inDegrees.checked));
    this.list.replaceChildren(...this.rows.map((row) => row.element));
    if (found.length > MOST_ROWS) this.list.append(el("p", { class: "muted" }, `and ${found.length - MOST_ROWS} more: find them by name`));
    if (this.knobs.length === 0) this.list.append(el("p", { class: "muted" }, "No joint of this model moves."));
  }

  private show(): void {
    for (const row of this.rows) row.show();
  }
}
