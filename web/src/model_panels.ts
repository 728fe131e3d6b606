import { el, shown } from "./dom.ts";
import type { Model, ModelJoint } from "./model.ts";
import type { ModelState, Selection } from "./model_state.ts";
import { placeOf } from "./pose.ts";

const MOST_INDENT = 24;
const MOST_ROWS = 3000;

const UNITS = new Map([
  ["velocity", ["rad/s", "m/s"]],
  ["effort", ["N m", "N"]],
  ["damping", ["N m s/rad", "N s/m"]],
  ["friction", ["N m", "N"]],
  ["armature", ["kg m²", "kg"]],
  ["stiffness", ["N m/rad", "N/m"]],
]);

const list = (x: ArrayLike<number>): string => Array.from(x, shown).join(", ");
const fact = (name: string, value: string): HTMLElement[] => [el("dt", {}, name), el("dd", {}, value)];

/** The joint that holds a body, on the tree that the file has. */
function bodyFacts(state: ModelState, index: number): HTMLElement[] {
  const { model } = state;
  const b = model.bodies[index]!;
  const joint = model.joints[b.joint];
  return [
    ...fact("body", b.name),
    ...(joint ? fact("held by", `${joint.name} (${joint.type})`) : fact("held by", "fixed to the world")),
    ...fact("mass", `${shown(b.mass)} kg`),
    ...(b.mass > 0
      ? [...fact("center of mass", `${list(b.com)} m, in the body`), ...fact("principal moments", `${list(b.moments)} kg m²`)]
      : []),
    ...fact("position", `${list(placeOf(state.bodyPose(index)))} m`),
  ];
}

function limitsOf(model: Model, joint: ModelJoint): string {
  const [first, count] = joint.q;
  const texts = model.coordinates.slice(first, first + count).map(({ lower, upper, unit }) => {
    if (lower === -Infinity && upper === Infinity) return "none";
    return `${Number.isFinite(lower) ? shown(lower) : "−∞"} to ${Number.isFinite(upper) ? shown(upper) : "∞"} ${unit}`;
  });
  return texts.join("; ");
}

function jointFacts(model: Model, index: number): HTMLElement[] {
  const joint = model.joints[index]!;
  const name = (body: number): string => model.bodies[body]?.name ?? "world";
  const slides = model.coordinates[joint.q[0]]?.unit === "m" ? 1 : 0;
  const numbers = joint.properties.flatMap(([key, values]) => {
    const unit = joint.q[1] === 1 ? ` ${UNITS.get(key)?.[slides] ?? ""}` : "";
    if (values.every((x) => x === null || x === 0)) return [];
    return fact(key === "velocity" || key === "effort" ? `${key} limit` : key, `${values.map((x) => (x === null ? "none" : shown(x))).join(", ")}${unit}`);
  });
  return [
    ...fact("joint", joint.name),
    ...fact("type", joint.pitch !== 0 ? `${joint.type}, pitch ${shown(joint.pitch)} m/rad` : joint.type),
    ...fact("from, to", `${name(joint.parent)} → ${name(joint.child)}`),
    ...(joint.axis ? fact("axis", `${list(joint.axis)}, in the joint's frame`) : []),
    ...(joint.leader >= 0 ? fact("follows", `${shown(joint.ratio)} · ${model.joints[joint.leader]!.name} + ${shown(joint.offset)}`) : []),
    ...(joint.link >= 0 && joint.leader < 0 && joint.q[1] < 4 ? fact("limits", limitsOf(model, joint)) : []),
    ...numbers,
  ];
}

function frameFacts(state: ModelState, index: number): HTMLElement[] {
  const f = state.model.frames[index]!;
  return [...fact("frame", f.name), ...fact("on", state.model.bodies[f.body]?.name ?? "world")];
}

/** The numbers of what is chosen, over the picture. */
export class Card {
  private readonly facts = el("dl");
  readonly element = el("section", { id: "card", "aria-label": "Selection", "aria-live": "polite", hidden: true });
  constructor(private readonly state: ModelState) {
    const close = el("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => state.select(null) }, "×");
    this.element.append(close, this.facts);
    state.onChange(() => this.show());
  }
  private show(): void {
    const { selection, model } = this.state;
    this.element.hidden = selection === null;
    if (selection === null) return;
    const { kind, index } = selection;
    this.facts.replaceChildren(...(kind === "body" ? bodyFacts(this.state, index) : kind === "joint" ? jointFacts(model, index) : frameFacts(this.state, index)));
  }
}

/** Mass, center of mass, and what is wrong with the posture. */
export class Summary {
  readonly element = el("div", { class: "summary" });
  constructor(private readonly state: ModelState) {
    state.onChange(() => this.show());
    this.show();
  }
  private show(): void {
    const { state } = this;
    const { model, com, violated } = state;
    const warn = (text: string): HTMLElement => el("p", { class: "warning", role: "status" }, text);
    const facts = el("dl", {}, ...fact("mass", `${shown(model.mass)} kg`));
    if (com) facts.append(...fact("center of mass", `${com.map((x) => x.toFixed(4)).join(", ")} m`), ...fact("above the ground at", `${com[0].toFixed(4)}, ${com[1].toFixed(4)}; ${(com[2] - state.groundHeight).toFixed(4)} m high`));
    const notes: HTMLElement[] = [];
    if (violated.length > 0) notes.push(warn(`Outside the limits: ${violated.slice(0, 8).map((i) => model.coordinates[i]!.name).join(", ")}${violated.length > 8 ? ` and ${violated.length - 8} more` : ""}`));
    if (state.isOpen) notes.push(warn(`Loops are open by ${shown(state.violation)} (m or rad)`));
    if (state.agreement > 1e-9) notes.push(warn(`Poses of this page differ from the library's by ${shown(state.agreement)}: do not trust this picture`));
    if (model.missing.length > 0) notes.push(el("p", { class: "muted" }, model.missing.length === 1 ? "A mesh is missing: see About." : `${model.missing.length} meshes are missing: see About.`));
    this.element.replaceChildren(facts, ...notes);
  }
}

/** The kinematic tree: bodies, each with the joint that holds it. */
export function treePanel(parent: HTMLElement, state: ModelState): void {
  const { model } = state;
  const children = new Map<number, number[]>();
  model.bodies.forEach((b, i) => children.set(b.parent, [...(children.get(b.parent) ?? []), i]));
  const rows: { element: HTMLElement; selections: Selection[] }[] = [];
  const item = (depth: number, body: number): HTMLElement => {
    const b = model.bodies[body]!;
    const pick = (selection: NonNullable<Selection>, text: string, kind: string): HTMLElement => {
      const button = el("button", { type: "button", class: `quiet ${kind}`, onclick: () => state.select(selection) }, text);
      rows.push({ element: button, selections: [selection] });
      return button;
    };
    const joint = b.joint >= 0 ? [pick({ kind: "joint", index: b.joint }, `${model.joints[b.joint]!.name} · ${model.joints[b.joint]!.type}`, "of-joint")] : [];
    const line = el("li", {}, pick({ kind: "body", index: body }, b.name, "of-body"), ...joint);
    line.style.paddingLeft = `${0.9 * Math.min(depth, MOST_INDENT)}em`;
    return line;
  };
  const lines: HTMLElement[] = [];
  const stack: [number, number][] = (children.get(-1) ?? []).map((b): [number, number] => [b, 0]).reverse();
  while (stack.length > 0 && lines.length < MOST_ROWS) {
    const [body, depth] = stack.pop()!;
    lines.push(item(depth, body));
    for (const child of (children.get(body) ?? []).slice().reverse()) stack.push([child, depth + 1]);
  }
  parent.append(el("ul", { class: "tree" }, ...lines));
  if (lines.length < model.bodies.length) parent.append(el("p", { class: "muted" }, `and ${model.bodies.length - lines.length} bodies more`));
  if (model.frames.length > 0) {
    const frames = model.frames.slice(0, MOST_ROWS).map((f, index) => {
      const button = el("button", { type: "button", class: "quiet of-body", onclick: () => state.select({ kind: "frame", index }) }, f.name);
      rows.push({ element: button, selections: [{ kind: "frame", index }] });
      return el("li", {}, button, el("span", { class: "muted" }, `on ${model.bodies[f.body]?.name ?? "world"}`));
    });
    parent.append(el("h2", {}, "Frames"), el("ul", { class: "tree" }, ...frames));
  }
  state.onChange(() => {
    for (const { element, selections } of rows) {
      const on = selections.some((s) => s?.kind === state.selection?.kind && s?.index === state.selection?.index);
      element.classList.toggle("chosen", on);
      element.setAttribute("aria-pressed", String(on));
    }
  });
}

function heading(text: string, ...content: HTMLElement[]): HTMLElement[] {
  return [el("h2", {}, text), ...content];
}

export function modelAbout(parent: HTMLElement, state: ModelState): void {
  const { model } = state;
  const moving = model.joints.filter((j) => j.link >= 0).length;
  const linkName = (link: number): string => (link === 0 ? "world" : (model.links[link]?.name ?? ""));
  const facts = el(
    "dl",
    {},
    ...fact("Model", model.name),
    ...(model.file === "" ? [] : fact("File", model.file)),
    ...fact("Bodies", String(model.bodies.filter((b) => !b.auxiliary).length)),
    ...fact("Joints", `${model.joints.length}, of which ${moving} move`),
    ...fact("Coordinates", String(model.coordinates.length)),
    ...fact("Mass", `${shown(model.mass)} kg`),
    ...(model.loops.length > 0 ? fact("Loops", String(model.loops.length)) : []),
    ...fact("Ground", `${model.groundWhy}; z = ${shown(model.ground.pose[2])} m`),
    ...fact("Check", `poses of this page agree with the library's to ${state.agreement.toExponential(1)} at ${model.references.length} postures`),
    ...fact("Made by", `Amble ${model.version}`),
  );
  parent.append(...heading("This model", facts));
  if (model.notes.length > 0) parent.append(...heading("Notes", el("ul", {}, ...model.notes.map((note) => el("li", {}, note)))));
  if (model.missing.length > 0) {
    const lines = model.missing.map(({ body, file, reason }) => el("li", {}, `${body}: ${file}`, el("br"), el("span", { class: "muted" }, reason)));
    parent.append(...heading("Meshes that are missing", el("p", { class: "muted" }, "Drawn as collision shapes, or as a box of the same inertia."), el("ul", {}, ...lines)));
  }
  const contacts = model.contacts.map((c) => el("li", {}, `${linkName(c.linkA)} – ${linkName(c.linkB)} at ${list(c.point)} m, distance ${shown(c.distance)} m`));
  const why = model.groundSolid ? "of collision shapes with each other and with the ground" : "of collision shapes with each other; the model does not say where the ground is";
  parent.append(...heading("Contacts", el("p", { class: "muted" }, `In the posture first shown, ${why}.`), el("ul", {}, ...(contacts.length > 0 ? contacts : [el("li", {}, "none")]))));
}
