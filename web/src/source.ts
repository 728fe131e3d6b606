import { grown, readScene, SceneError, type Scene } from "./scene.ts";

type FromBase64 = { fromBase64?: (text: string) => Uint8Array };

export function fromBase64(text: string): ArrayBuffer {
  const fast = (Uint8Array as unknown as FromBase64).fromBase64;
  try {
    if (fast) return fast(text).buffer as ArrayBuffer;
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
    return bytes.buffer;
  } catch {
    throw new SceneError("the scene in this page is not base64: the file is damaged");
  }
}

async function ask(query: string): Promise<ArrayBuffer> {
  const response = await fetch(`scene${query}`, { cache: "no-store" }).catch(() => null);
  if (response === null) throw new SceneError("the program that serves this page does not answer any more");
  if (!response.ok) throw new SceneError(await response.text());
  return response.arrayBuffer();
}

/** The scene in the page itself, or else that of the program that serves it. */
export async function load(): Promise<{ bytes: ArrayBuffer; live: boolean }> {
  const place = document.getElementById("scene");
  const text = place?.textContent?.trim() ?? "";
  if (place) place.textContent = ""; // megabytes that are not needed twice
  if (text !== "") return { bytes: fromBase64(text), live: false };
  if (location.protocol === "file:") throw new SceneError("this page has no scene in it");
  return { bytes: await ask(""), live: true };
}

/** Asks for what has come since until the recording is complete. */
export function follow(first: Scene, grew: (scene: Scene) => void, trouble: (text: string) => void): void {
  let scene = first;
  const again = async (): Promise<void> => {
    try {
      const last = scene.states.t.at(-1) ?? 0;
      const more = readScene(await ask(`?after=${last}&stride=${scene.states.stride}`));
      if (more.states.rows > 0 || more.complete !== scene.complete || more.events.length > 0) grew((scene = grown(scene, more)));
      trouble("");
    } catch (error) {
      trouble(error instanceof SceneError ? error.message : String(error));
    }
    if (!scene.complete) setTimeout(() => void again(), 700);
  };
  if (!scene.complete) setTimeout(() => void again(), 700);
}
