// The page in a real browser: Debian's Chromium without a screen. The recordings and pages that are looked at here were
// made by the amble command (tests/page_test.py); where they are is told by the environment.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { validateBytes } from "gltf-validator";
import { chromium, type Browser, type Page } from "playwright-core";
import { agreement } from "../src/kinematics.ts";
import { readModel, type Model } from "../src/model.ts";
import { fromBase64 } from "../src/source.ts";
import { makeModel } from "./make_model.ts";
import { makeScene, pageWith } from "./make_scene.ts";

const data = process.env["AMBLE_PAGE_DATA"] ?? "";
const program = process.env["AMBLE_PROGRAM"] ?? "";
const pictures = join(data, "pictures");
const emptyPage = readFileSync(join(import.meta.dirname, "..", "dist", "page.html"), "utf8");

let browser: Browser;
before(async () => {
  mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({
    executablePath: process.env["AMBLE_BROWSER"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
    ],
  });
});
after(() => browser.close());

interface Opened {
  page: Page;
  problems: string[];
  requests: string[];
}

/** A page that notes everything it should not do: errors, and requests to anywhere. */
async function open(address: string, options: { width?: number; height?: number; dark?: boolean } = {}): Promise<Opened> {
  const page = await browser.newPage({
    viewport: { width: options.width ?? 1000, height: options.height ?? 640 },
    colorScheme: options.dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    // The software renderer says that reading pixels back is slow: so it is, and nobody's fault.
    if (["error", "warning"].includes(message.type()) && !/GPU stall|swiftshader/i.test(message.text())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => (problems.push(`a dialog: ${dialog.message()}`), void dialog.dismiss()));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  if (!address.includes("walk_")) await page.waitForSelector("html[data-ready]", { timeout: 60_000 }); // a report is ready as it is
  return { page, problems, requests };
}

const fileOf = (name: string): string => `file://${join(data, name)}`;
const time = async (page: Page): Promise<number> => (await frame(page), page.$eval("#time", (input) => Number((input as HTMLInputElement).value)));
const frame = (page: Page): Promise<void> => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

async function seek(page: Page, to: number): Promise<void> {
  await page.$eval("#time", (input, value) => ((input as HTMLInputElement).value = String(value), input.dispatchEvent(new Event("input"))), to);
  await frame(page);
}

/** The 3D picture, with nothing pointed at or chosen. */
async function view(page: Page): Promise<Buffer> {
  await page.mouse.move(700, 5);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await frame(page);
  return page.locator("#view").screenshot();
}

function finish({ page, problems }: Opened): Promise<void> {
  assert.deepEqual(problems, []);
  return page.close();
}

// ---- a file

test("a page from the disk shows the robot, plays, steps, scrubs and repeats, and asks the network for nothing", async () => {
  const opened = await open(fileOf("humanoid.html"));
  const { page, requests } = opened;
  assert.equal(await page.textContent("#name"), "humanoid");
  const still = await view(page);
  await page.selectOption("#speed", "0.25"); // two seconds of motion last, however slowly this machine draws
  await page.click("#play");
  await page.waitForFunction(() => Number((document.getElementById("time") as HTMLInputElement).value) > 0.2);
  await page.click("#play");
  await page.waitForSelector('#play[aria-label="Play"]');
  const stopped = await time(page);
  await frame(page);
  assert.equal(await time(page), stopped);
  assert.notDeepEqual(await view(page), still);
  await page.click("#forward");
  const next = await time(page);
  assert.ok(next > stopped && next < stopped + 0.05);
  await page.click("#back");
  assert.ok((await time(page)) < next);
  await page.click("#last");
  const end = await time(page);
  assert.ok(Math.abs(end - 2) < 1e-6);
  await page.selectOption("#speed", "1");
  await page.click("#loop");
  await page.click("#play");
  await page.waitForFunction(() => Number((document.getElementById("time") as HTMLInputElement).value) < 1.9);
  assert.deepEqual(requests.filter((url) => !url.startsWith("file://") && !url.startsWith("data:") && !url.startsWith("blob:")), []);
  await finish(opened);
});

test("what is drawn can be switched off and on", async () => {
  const opened = await open(fileOf("quadruped.html"));
  const { page } = opened;
  await seek(page, 1.5);
  await view(page);
  const before = await view(page);
  assert.deepEqual(await view(page), before); // so that a difference below means something
  for (const layer of ["forces", "com", "axes"]) {
    await page.click(`[data-layer=${layer}]`);
    const changed = await view(page);
    assert.notDeepEqual(changed, before, layer);
    await page.click(`[data-layer=${layer}]`);
  }
  assert.deepEqual(await view(page), before);
  await finish(opened);
});

test("plots tell the recording's numbers at the time", async () => {
  const [header, ...lines] = readFileSync(join(data, "quadruped.csv"), "utf8").trim().split("\n");
  const names = header!.split(",");
  const rows = lines.map((line) => line.split(",").map(Number));
  const opened = await open(fileOf("quadruped.html"));
  const { page } = opened;
  await page.click(".signals summary");
  for (const name of ["q:front_left_knee", "v:rear_right_knee", "potential"]) {
    const box = page.locator(".picker label", { hasText: name }).first().locator("input");
    await box.check();
  }
  for (const share of [0, 0.137, 0.5, 0.873, 1]) {
    const row = rows[Math.round(share * (rows.length - 1))]!;
    await seek(page, row[0]!);
    for (const name of ["q:front_left_knee", "v:rear_right_knee", "kinetic", "potential"]) {
      const said = await page.locator(".legend li", { hasText: name }).first().locator("output").textContent();
      const expected = row[names.indexOf(name)]!;
      const shown = Number(said!.split(" ")[0]);
      assert.ok(Math.abs(shown - expected) <= 6e-4 * Math.abs(expected) + 1e-12, `${name} at ${row[0]} s: ${said} is not ${expected}`);
    }
  }
  await finish(opened);
});

test("keys do what the list of keys says", async () => {
  const opened = await open(fileOf("ball.html"));
  const { page } = opened;
  const press = async (key: string): Promise<number> => (await page.keyboard.press(key), await frame(page), time(page));
  assert.ok((await press("End")) > 5.9);
  assert.equal(await press("Home"), 0);
  assert.ok((await press("ArrowRight")) > 0);
  assert.equal(await press("ArrowLeft"), 0);
  assert.ok(Math.abs((await press("Shift+ArrowRight")) - 1) < 1e-5);
  const bounce = await press("n");
  assert.ok(Math.abs(bounce - 0.4515 * (1 + 2 * 0.8)) < 0.01, `${bounce}`); // the second impact of a fall from 1 m
  assert.ok((await press("p")) < bounce);
  await press("]");
  assert.equal(await page.inputValue("#speed"), "2");
  await press("l");
  assert.equal(await page.getAttribute("#loop", "aria-pressed"), "false");
  await press("1");
  assert.equal(await page.isChecked("[data-layer=forces]"), false);
  await press("Space");
  assert.equal(await page.getAttribute("#play", "aria-label"), "Pause");
  await press("Space");
  await press("t");
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  await page.keyboard.press("?");
  await page.waitForSelector("#keys[open]");
  await page.keyboard.press("Escape");
  await page.focus("#tab-plots");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#tab-energy", "aria-selected"), "true");
  await page.focus("#time");
  const held = await time(page);
  await page.keyboard.press("ArrowRight");
  assert.ok((await time(page)) > held);
  await finish(opened);
});

test("a plot can be looked at closer, and a click goes there", async () => {
  const opened = await open(fileOf("hour.html"));
  const { page } = opened;
  const plot = page.locator(".plot .u-over").first();
  const box = (await plot.boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.ok(Math.abs((await time(page)) - 1800) < 30);
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.26 * box.width, box.y + 40, { steps: 4 });
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const inside = await time(page);
  assert.ok(inside > 900 && inside < 1080, `${inside}`);
  await page.screenshot({ path: join(pictures, "hour-closer.png") });
  await finish(opened);
});

test("the energy panel closes its books", async () => {
  const opened = await open(fileOf("ball.html"));
  const { page } = opened;
  await page.click("#tab-energy");
  await frame(page);
  assert.match((await page.getAttribute(".sankey svg", "aria-label"))!, /from: height 9\.8\d* joules.*to: impacts 9\.8/);
  const residual = await page.locator(".books tfoot tr").last().locator("td").textContent();
  assert.ok(Math.abs(Number(residual)) < 1e-6, residual!);
  await page.click("#tab-phase");
  await frame(page);
  await page.screenshot({ path: join(pictures, "ball-phase.png") });
  await finish(opened);
});

// ---- walks

test("a walk's report has the walk in it: it plays, and its energy is told step by step", async () => {
  const opened = await open(fileOf("walk_compass.html"), { width: 1280, height: 900 });
  const { page, requests } = opened;
  const viewer = (await (await page.waitForSelector("iframe.viewer")).contentFrame())!;
  await viewer.waitForSelector("html[data-ready=yes]", { timeout: 60_000 });
  assert.equal(await viewer.textContent("#name"), "compass");
  await viewer.click("#tab-energy");
  assert.equal(await viewer.locator("#energy select").inputValue(), "footfall");
  assert.match((await viewer.getAttribute(".sankey svg", "aria-label"))!, /from: height 2\.\d* joules.*to: impacts 2\.\d*/);
  await viewer.click("#tab-phase");
  assert.match(await viewer.locator('#phase select[aria-label="Event of the return map"]').inputValue(), /footfall \((inner|outer) leg\)/);
  await viewer.click("#tab-about");
  const about = (await viewer.textContent("#about"))!;
  assert.match(about, /amble walk compass --steps 8/);
  assert.match(about, /no scuffing/);
  assert.deepEqual(requests.filter((url) => url.startsWith("http")), []);
  await finish(opened);
});

// ---- models

const MODELS = ["every_joint", "humanoid", "quadruped", "arm7", "rover", "four_bar", "hopper", "dribbel"] as const;
const modelFile = (name: string): string => `model_${name}.html`;

function modelIn(name: string): Model {
  const page = readFileSync(join(data, modelFile(name)), "utf8");
  return readModel(fromBase64(/<script id="scene"[^>]*>([^<]*)</.exec(page)![1]!));
}

test("poses, centers of mass and open loops of the page are those of the library at random postures", () => {
  for (const name of MODELS) {
    const model = modelIn(name);
    const worst = agreement(model);
    console.log(`${name}: ${model.bodies.length} bodies, ${model.references.length} postures, ${worst.toExponential(1)}`);
    assert.equal(model.references.length, 4, name);
    assert.ok(worst < 1e-9, `${name}: ${worst}`);
  }
  const motions = new Set(modelIn("every_joint").links.flatMap((link) => link.steps.map((step) => step.motion)));
  assert.deepEqual([...motions].sort(), ["ball", "free", "helix", "slide", "turn"]);
  assert.ok(modelIn("every_joint").joints.some((joint) => joint.leader >= 0));
  assert.ok(modelIn("four_bar").references.some(({ violation }) => violation !== null && violation > 1e-3)); // so that rows are compared
});

const knob = (page: Page, label: string): ReturnType<Page["locator"]> => page.locator(".knob", { has: page.getByLabel(label, { exact: true }) });

async function slide(page: Page, label: string, to: number): Promise<void> {
  await knob(page, label).locator("input[type=range]").evaluate((input, value) => {
    (input as HTMLInputElement).value = String(value);
    input.dispatchEvent(new Event("input"));
  }, to);
  await frame(page);
}

test("a model's page moves joints, goes back, and asks the network for nothing", async () => {
  const opened = await open(fileOf(modelFile("humanoid")));
  const { page, requests } = opened;
  await view(page);
  const first = await view(page);
  assert.deepEqual(await view(page), first);
  const label = (await page.locator(".knob .name").allTextContents()).find((name) => /knee/.test(name))!;
  const input = knob(page, label).locator("input[type=range]");
  const most = Number(await input.getAttribute("max"));
  await slide(page, label, most);
  assert.notDeepEqual(await view(page), first);
  assert.equal(await knob(page, label).getAttribute("class"), "knob");
  const value = knob(page, label).locator("input[type=number]");
  assert.ok(Math.abs(Number(await value.inputValue()) - most) < 1e-3);
  await value.fill(String(most + 0.5));
  await value.press("Enter");
  assert.match((await knob(page, label).getAttribute("class"))!, /beyond/);
  assert.match((await page.textContent(".summary"))!, new RegExp(`Outside the limits: .*${label}`));
  await page.getByText("As first shown").click();
  assert.equal(await page.locator(".warning").count(), 0);
  assert.deepEqual(await view(page), first);
  assert.deepEqual(requests.filter((url) => url.startsWith("http")), []);
  await finish(opened);
});

test("what is drawn of a model can be switched off and on", async () => {
  const opened = await open(fileOf(modelFile("quadruped")));
  const { page } = opened;
  await view(page);
  const before = await view(page);
  const layers = await page.locator("[data-layer]").evaluateAll((all) => all.map((input) => (input as HTMLElement).dataset["layer"]!));
  for (const layer of ["visual", "collision", "frames", "axes", "masses", "inertias", "com"]) {
    assert.ok(layers.includes(layer), layer);
    await page.click(`[data-layer=${layer}]`);
    assert.notDeepEqual(await view(page), before, layer);
    await page.click(`[data-layer=${layer}]`);
  }
  assert.deepEqual(await view(page), before);
  await finish(opened);
});

test("bodies and joints tell their numbers when they are chosen", async () => {
  const opened = await open(fileOf(modelFile("arm7")));
  const { page } = opened;
  const model = modelIn("arm7");
  await page.click("#tab-tree");
  const body = model.bodies.findIndex((b) => b.mass > 0 && b.joint >= 0 && model.joints[b.joint]!.link > 0);
  await page.locator(".tree .of-body", { hasText: model.bodies[body]!.name }).first().click();
  const card = (await page.textContent("#card"))!;
  assert.match(card, new RegExp(`mass${model.bodies[body]!.mass.toPrecision(4)}`.replace(".", "\\.")));
  assert.match(card, /principal moments/);
  const joint = model.joints[model.bodies[body]!.joint]!;
  await page.locator(".tree .of-joint", { hasText: joint.name }).first().click();
  assert.match((await page.textContent("#card"))!, new RegExp(`type${joint.type}`));
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#card"), false);
  await page.click("#tab-joints");
  await finish(opened);
});

test("a body in the picture tells its name to the mouse, and its numbers to a click", async () => {
  const opened = await open(fileOf(modelFile("quadruped")));
  const { page } = opened;
  const box = (await page.locator("#view canvas").boundingBox())!;
  const names = modelIn("quadruped").bodies.map((b) => b.name);
  await page.mouse.move(box.x + 5, box.y + box.height - 5); // the ground is no body
  await frame(page);
  assert.equal(await page.isVisible("#tip"), false);
  const x = box.x + box.width / 2;
  let y = box.y + 0.2 * box.height;
  while (!(await page.isVisible("#tip")) && y < box.y + box.height) await page.mouse.move(x, (y += 8)), await frame(page);
  const name = (await page.textContent("#tip"))!;
  assert.ok(names.includes(name), name);
  await page.mouse.click(x, y);
  await frame(page);
  assert.ok((await page.textContent("#card dl"))!.startsWith(`body${name}`));
  await page.mouse.move(box.x + 5, box.y + box.height - 5);
  await page.mouse.click(box.x + 5, box.y + box.height - 5);
  assert.equal(await page.isVisible("#card"), false);
  await finish(opened);
});

test("loops stay closed while a slider moves, and tell how far they are open when they may not", async () => {
  const opened = await open(fileOf(modelFile("four_bar")));
  const { page } = opened;
  const model = modelIn("four_bar");
  const label = model.coordinates[0]!.name;
  await slide(page, label, model.q[0]! + 0.3);
  assert.equal(await page.locator(".warning").count(), 0);
  await page.uncheck("#keep-loops");
  await slide(page, label, model.q[0]! + 0.1);
  assert.match((await page.textContent(".warning"))!, /Loops are open by 0\.\d+/);
  await page.check("#keep-loops");
  assert.equal(await page.locator(".warning").count(), 0);
  await finish(opened);
});

test("a model is served as a recording is", async () => {
  const { process: child, address } = await serve([join(process.env["AMBLE_SOURCE"] ?? "", "models", "arm7.urdf"), "--set", "shoulder_pitch=0.5"]);
  try {
    const opened = await open(address);
    assert.equal(await opened.page.textContent("#name"), modelIn("arm7").name);
    assert.ok((await opened.page.locator(".knob").count()) >= 7);
    await finish(opened);
  } finally {
    await ended(child);
  }
});

// ---- how fast

test("an hour at 1 kHz opens in seconds", async () => {
  const start = Date.now();
  const opened = await open(fileOf("hour.html"));
  const seconds = (Date.now() - start) / 1000;
  const size = readFileSync(join(data, "hour.html")).length;
  console.log(`an hour (3.6 million states): ${(size / 1e6).toFixed(1)} MB, open in ${seconds.toFixed(1)} s`);
  assert.ok(size < 40e6);
  assert.ok(seconds < 20, `${seconds} s`); // on a machine that does other things, too
  await opened.page.click("#tab-about");
  assert.match((await opened.page.textContent("#about"))!, /3,600,001 states in groups? of|3,600,001 states in [\d,]+ groups of/);
  await finish(opened);
});

test("a minute of a robot with 30 joints plays at more than 30 frames a second where something draws them", async () => {
  const opened = await open(fileOf("humanoid60.html"));
  const { page } = opened;
  await page.keyboard.press("Space");
  await page.waitForFunction(() => /\d/.test(document.getElementById("fps")!.textContent ?? ""), undefined, { timeout: 20_000 });
  await page.waitForTimeout(5000); // until it has found out how well it can draw here
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" }); // processor time, whatever else runs here
  const spent = async (): Promise<number> =>
    (await session.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration")!.value;
  const before = await spent();
  const frames = await page.evaluate(async () => {
    const end = performance.now() + 4000;
    let count = 0;
    while (performance.now() < end) await new Promise((done) => requestAnimationFrame(done)), ++count;
    return count;
  });
  const ownMs = (1000 * ((await spent()) - before)) / frames;
  const said = (await page.textContent("#fps"))!;
  const renderer = await page.evaluate(() => {
    const gl = document.createElement("canvas").getContext("webgl2")!;
    return String(gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info")!.UNMASKED_RENDERER_WEBGL));
  });
  const told = `60 s of a robot with 30 joints: ${said}, of which the page itself takes ${ownMs.toFixed(1)} ms a frame; drawn by ${renderer}`;
  console.log(told);
  writeFileSync(join(data, "frames.txt"), `${told}\n`);
  assert.ok(ownMs < 1000 / 60, told);
  // Pixels drawn by the processor say nothing of a machine with a screen: there the rate is only told.
  if (!/swiftshader|llvmpipe/i.test(renderer)) assert.ok(parseFloat(said) > 30, told);
  await finish(opened);
});

// ---- hostile scenes

async function openText(name: string, html: string): Promise<Opened> {
  writeFileSync(join(data, name), html);
  return open(fileOf(name));
}

test("names with scripts in them are texts and run nothing", async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror="alert(2)"><b>bold</b>`;
  const mutate = (head: Record<string, unknown>): void => {
    head["file"] = evil;
    head["notes"] = [evil];
    for (const link of head["links"] as Record<string, unknown>[]) link["name"] = evil;
    for (const event of head["events"] as Record<string, unknown>[]) event["name"] = evil;
    for (const column of (head["states"] as { columns: Record<string, unknown>[] }).columns.slice(0, 2)) column["name"] = evil;
    (head["ledger"] as Record<string, unknown>)["entries"] = [evil];
    (head["origin"] as Record<string, unknown>)["scenario"] = evil;
  };
  const opened = await openText("hostile-names.html", pageWith(emptyPage, makeScene({ name: evil, mutate })));
  const { page } = opened;
  assert.equal(await page.textContent("#name"), evil);
  for (const tab of ["energy", "phase", "about"]) await page.click(`#tab-${tab}`), await frame(page);
  assert.equal(await page.locator("main img, main b, main script").count(), 0);
  await page.screenshot({ path: join(pictures, "hostile-names.png") });
  await finish(opened);
});

test("names of models with scripts in them are texts and run nothing", async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror="alert(2)"><b>bold</b>`;
  const mutate = (head: Record<string, unknown>): void => {
    head["name"] = head["file"] = evil;
    head["notes"] = [evil];
    head["missing"] = [{ body: evil, file: evil, reason: evil }];
    for (const list of ["links", "bodies", "joints", "coordinates", "frames", "keyframes"])
      for (const item of head[list] as Record<string, unknown>[]) item["name"] = evil;
    for (const joint of head["joints"] as Record<string, unknown>[]) joint["type"] = evil;
    for (const coordinate of head["coordinates"] as Record<string, unknown>[]) coordinate["unit"] = evil;
    (head["ground"] as Record<string, unknown>)["why"] = evil;
  };
  const opened = await openText("hostile-model.html", pageWith(emptyPage, makeModel(mutate)));
  const { page } = opened;
  assert.equal(await page.textContent("#name"), evil);
  for (const tab of ["tree", "model-about", "joints"]) await page.click(`#tab-${tab}`), await frame(page);
  await page.click("#tab-tree");
  for (const kind of [".of-body", ".of-joint"]) await page.locator(`.tree ${kind}`).first().click(), await frame(page);
  const box = (await page.locator("#view canvas").boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await frame(page);
  assert.equal(await page.locator("main img, main b, main script").count(), 0);
  await finish(opened);
});

test("models that are broken are told in words", async () => {
  for (const [mutate, message] of [
    [(h: Record<string, unknown>) => (h["bodies"] = 3), /cannot be shown: bodies is not a list/],
    [(h: Record<string, unknown>) => (h["version"] = 9), /format that this page does not know/],
  ] as const) {
    const opened = await openText("hostile.html", pageWith(emptyPage, makeModel(mutate)));
    assert.match((await opened.page.textContent("#message"))!, message);
    assert.equal(await opened.page.isVisible("#app"), false);
    await finish(opened);
  }
});

test("scenes that are broken are told in words", async () => {
  const whole = makeScene();
  const cases: [string, ArrayBuffer, RegExp][] = [
    ["cut off", whole.slice(0, whole.byteLength - 5000), /cannot be shown: .* the file ends before/],
    ["wrong size", makeScene({ mutate: (h) => ((h["frames"] as Record<string, unknown>)["columns"] = 1) }), /does not fit 4 links/],
    ["something else", new TextEncoder().encode("not a scene at all, sorry").buffer as ArrayBuffer, /not a scene/],
  ];
  for (const [name, scene, message] of cases) {
    const opened = await openText("hostile.html", pageWith(emptyPage, scene));
    assert.match((await opened.page.textContent("#message"))!, message, name);
    assert.equal(await opened.page.isVisible("#app"), false);
    await finish(opened);
  }
  const opened = await openText("hostile.html", emptyPage.replace("<!--scene-->", "&&& not base64 &&&"));
  assert.match((await opened.page.textContent("#message"))!, /not base64/);
  await finish(opened);
});

test("numbers that are not finite are gaps, and the page says so", async () => {
  const opened = await openText("hostile-nan.html", pageWith(emptyPage, makeScene({ value: (i) => (i % 7 === 0 ? NaN : i % 11 === 0 ? Infinity : Math.sin(i / 30)) })));
  await opened.page.click("#tab-about");
  assert.match((await opened.page.textContent("#about"))!, /numbers are not finite/);
  await finish(opened);
});

// ---- for everybody

/** What axe-core, which is on the page already, finds wrong. */
function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    type Axe = { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> };
    const result = await (window as unknown as { axe: Axe }).axe.run({ resultTypes: ["violations"] });
    return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html} ${n.failureSummary ?? ""}`).join(" | ")}`);
  });
}

for (const [name, dark, width] of [["light", false, 1280], ["dark", true, 1280], ["phone", false, 390]] as const)
  test(`an automatic checker finds nothing that keeps people out: ${name}`, async () => {
    const opened = await open(fileOf("quadruped.html"), { dark, width, height: 844 });
    const { page } = opened;
    await page.evaluate(readFileSync(join(import.meta.dirname, "..", "node_modules", "axe-core", "axe.min.js"), "utf8"));
    for (const tab of ["plots", "energy", "phase", "about"]) {
      await page.click(`#tab-${tab}`);
      await frame(page);
      assert.deepEqual(await violations(page), [], tab);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
    assert.equal(wide, false, "the page is wider than the screen");
    await finish(opened);
  });

for (const [name, dark, width] of [["light", false, 1280], ["dark", true, 1280], ["phone", false, 390]] as const)
  test(`an automatic checker finds nothing in a model's page that keeps people out: ${name}`, async () => {
    const opened = await open(fileOf(modelFile("humanoid")), { dark, width, height: 844 });
    const { page } = opened;
    await page.evaluate(readFileSync(join(import.meta.dirname, "..", "node_modules", "axe-core", "axe.min.js"), "utf8"));
    await page.click("#tab-tree");
    await page.locator(".tree .of-body").nth(1).click();
    for (const tab of ["joints", "tree", "model-about"]) {
      await page.click(`#tab-${tab}`);
      await frame(page);
      assert.deepEqual(await violations(page), [], tab);
    }
    await page.screenshot({ path: join(pictures, `model-${name}.png`) });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1), false, "the page is wider than the screen");
    await finish(opened);
  });

test("pictures for people to look at", async () => {
  const shots: [string, string, number, string, { width?: number; height?: number; dark?: boolean }][] = [
    ["humanoid.html", "humanoid-light", 0.62, "plots", { width: 1440, height: 900 }],
    ["quadruped.html", "quadruped-energy-dark", 0.2, "energy", { width: 1440, height: 900, dark: true }],
    ["snakeboard.html", "snakeboard-phase", 4, "phase", { width: 1440, height: 900 }],
    ["quadruped.html", "quadruped-phone", 0.4, "plots", { width: 390, height: 844 }],
    ["compass.html", "compass-energy", 2.2, "energy", { width: 1440, height: 900 }],
    ["dribbel.html", "dribbel-phase-dark", 2.0, "phase", { width: 1440, height: 900, dark: true }],
  ];
  for (const [file, name, at, tab, options] of shots) {
    const opened = await open(fileOf(file), options);
    await opened.page.click(`#tab-${tab}`);
    await seek(opened.page, at);
    await opened.page.waitForTimeout(300);
    await opened.page.screenshot({ path: join(pictures, `${name}.png`) });
    await finish(opened);
  }
});

test("pictures of reports", async () => {
  for (const [name, options] of [["report-light", {}], ["report-dark", { dark: true }], ["report-phone", { width: 390, height: 844 }]] as const) {
    const opened = await open(fileOf("walk_compass.html"), { width: 1280, height: 1000, ...options });
    const viewer = (await (await opened.page.waitForSelector("iframe.viewer")).contentFrame())!;
    await viewer.waitForSelector("html[data-ready=yes]", { timeout: 60_000 });
    await viewer.click("#tab-energy");
    await viewer.$eval("#time", (input) => ((input as HTMLInputElement).value = "2.2", input.dispatchEvent(new Event("input"))));
    await opened.page.waitForTimeout(500);
    await opened.page.screenshot({ path: join(pictures, `${name}.png`) });
    const wider = await opened.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wider, false, "the page is wider than the screen");
    await finish(opened);
  }
});

test("animations for other programs are valid glTF", async () => {
  for (const name of ["humanoid", "quadruped", "ball", "snakeboard", "compass", "dribbel"]) {
    const bytes = new Uint8Array(readFileSync(join(data, `${name}.glb`)));
    const report = await validateBytes(bytes, { maxIssues: 20 });
    assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages));
    assert.equal(report.issues.numWarnings, 0, JSON.stringify(report.issues.messages));
    assert.equal(report.info.animationCount, 1);
  }
});

// ---- a server

async function serve(args: string[]): Promise<{ process: ChildProcess; address: string }> {
  const child = spawn(program, ["view", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise<string>((found, failed) => {
    let text = "";
    child.stdout!.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      const match = /viewer: (\S+)/.exec(text);
      if (match) found(match[1]!);
    });
    child.on("exit", (code) => failed(new Error(`amble view ended with ${code}`)));
  });
  return { process: child, address };
}

async function ended(child: ChildProcess): Promise<number | null> {
  const exit = new Promise<number | null>((done) => child.on("exit", (code) => done(code)));
  child.kill("SIGINT");
  return exit;
}

test("a server shows the same, to those who know the address, and ends at Ctrl-C", async () => {
  const { process: child, address } = await serve([join(data, "quadruped.h5")]);
  try {
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    const opened = await open(address);
    assert.equal(await opened.page.textContent("#name"), "quadruped");
    await seek(opened.page, 1);
    await finish(opened);
  } finally {
    assert.equal(await ended(child), 130);
  }
});

test("a recording that grows is followed", async () => {
  const path = join(data, "growing.h5");
  const scenario = join(process.env["AMBLE_SOURCE"] ?? "", "scenarios", "quadruped_stands.toml");
  const run = spawn(program, ["simulate", scenario, "--record", path, "--set", "simulation.duration=100000", "--set", "simulation.interval=0.1"], { stdio: "ignore" });
  try {
    await new Promise((done) => setTimeout(done, 1500));
    const { process: child, address } = await serve([path]);
    try {
      const opened = await open(address);
      const { page } = opened;
      assert.equal(await page.textContent("#state"), "live");
      const end = (): Promise<number> => page.$eval("#time", (input) => Number((input as HTMLInputElement).max));
      const before = await end();
      await page.waitForFunction((t) => Number((document.getElementById("time") as HTMLInputElement).max) > t, before, { timeout: 60_000 });
      await page.keyboard.press("End");
      await frame(page);
      assert.ok((await time(page)) > before);
      await finish(opened);
    } finally {
      await ended(child);
    }
  } finally {
    await ended(run);
  }
});
