import { byId } from "./dom.ts";
import { isModel, readModel } from "./model.ts";
import { ModelApp } from "./model_app.ts";
import { SceneError } from "./reader.ts";
import { RecordingApp } from "./recording_app.ts";
import { readScene } from "./scene.ts";
import { firstTheme, say, setTheme } from "./shell.ts";
import { load } from "./source.ts";

function show(bytes: ArrayBuffer, live: boolean): void {
  if (isModel(bytes)) return void new ModelApp(readModel(bytes));
  const scene = readScene(bytes);
  if (scene.states.rows === 0 && !live) throw new SceneError("the recording has no states");
  new RecordingApp(scene, live);
}

async function start(): Promise<void> {
  setTheme(firstTheme());
  try {
    const { bytes, live } = await load();
    byId("loading").hidden = true;
    show(bytes, live);
    document.documentElement.dataset["ready"] = "yes";
  } catch (error) {
    byId("loading").hidden = true;
    byId("app").hidden = true;
    say(error instanceof SceneError ? `This cannot be shown: ${error.message}.` : `The page failed: ${String(error)}`);
    document.documentElement.dataset["ready"] = "failed";
  }
}

void start();
