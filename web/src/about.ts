import { el, shown } from "./dom.ts";
import type { Playback } from "./playback.ts";
import type { Scene } from "./scene.ts";
import { eventList } from "./timeline.ts";

/** The command that makes a recording again. */
export function command(scene: Scene): string {
  if (scene.origin.command !== "") return scene.origin.command;
  if (scene.origin.scenario === "") return "";
  const quoted = (word: string): string => (/^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return ["amble simulate", quoted(scene.origin.scenario), ...scene.origin.settings.map((s) => `--set ${quoted(s)}`)].join(" ");
}

function fact(name: string, value: string): HTMLElement[] {
  return [el("dt", {}, name), el("dd", {}, value)];
}

/** How much of the recording the page has. */
function resolution(scene: Scene): string {
  const { stride, samples, rows } = scene.states;
  if (stride === 1) return `all ${samples.toLocaleString("en")} states`;
  return `${samples.toLocaleString("en")} states in ${rows.toLocaleString("en")} groups of ${stride}, with the extremes of each`;
}

export function about(parent: HTMLElement, scene: Scene, playback: Playback): void {
  parent.replaceChildren();
  const facts = el(
    "dl",
    {},
    ...fact("Model", scene.name),
    ...(scene.file === "" ? [] : fact("Recording", scene.file)),
    ...fact("Mass", `${shown(scene.mass)} kg`),
    ...fact("Joints", String(scene.joints.length)),
    ...fact("Shown", `${resolution(scene)}; ${scene.frames.rows.toLocaleString("en")} poses`),
    ...fact("State", scene.complete ? "complete" : "not complete: still running, stopped, or broken off"),
    ...fact("Books", `residual ${shown(scene.ledger.residual)} J of ${shown(scene.ledger.exchanged)} J exchanged`),
    ...fact("Made by", `Amble ${scene.version}`),
  );
  parent.append(el("h2", {}, "This recording"), facts);
  const again = command(scene);
  if (again !== "") parent.append(el("p", {}, "To make it again: ", el("code", {}, again)));
  if (scene.notes.length > 0) parent.append(el("h2", {}, "Notes"), el("ul", {}, ...scene.notes.map((note) => el("li", {}, note))));
  parent.append(el("h2", {}, "What happened"), eventList(scene, playback));
  const joints = scene.joints.map((j) => el("tr", {}, el("th", { scope: "row" }, j.name), el("td", {}, j.type), el("td", {}, scene.links[j.link]?.name ?? "")));
  const head = el("tr", {}, ...["Joint", "Type", "Moves"].map((text) => el("th", { scope: "col" }, text)));
  parent.append(el("h2", {}, "Joints"), el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Joints" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...joints))));
}
