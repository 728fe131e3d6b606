// What pages of recordings and of models share around their contents.
import { byId } from "./dom.ts";

/** Remembers a choice where the browser lets it. */
export function remember(key: string, value?: string): string | null {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function setTheme(theme: string): void {
  document.documentElement.dataset["theme"] = theme;
  byId("theme").setAttribute("aria-label", theme === "dark" ? "Light colours" : "Dark colours");
}

export function firstTheme(): string {
  return remember("amble-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

export function say(message: string): void {
  const place = byId("message");
  place.textContent = message;
  place.hidden = message === "";
}

/** From light to dark or back; canvases are to be drawn again after it. */
export function otherTheme(): void {
  const theme = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
  remember("amble-theme", theme);
  setTheme(theme);
}

/** Tabs: the panel `id` belongs to the button `tab-id`. */
export function makeTabs(ids: readonly string[], chosen: (id: string) => void): void {
  const buttons = ids.map((id) => byId<HTMLButtonElement>(`tab-${id}`));
  const choose = (wanted: string): void => {
    ids.forEach((id, i) => {
      buttons[i]!.setAttribute("aria-selected", String(id === wanted));
      buttons[i]!.tabIndex = id === wanted ? 0 : -1;
      byId(id).hidden = id !== wanted;
    });
    chosen(wanted);
  };
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => choose(ids[i]!));
    button.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (by === 0) return;
      event.stopPropagation();
      const next = buttons[(i + by + buttons.length) % buttons.length]!;
      next.focus();
      next.click();
    });
  });
  choose(ids[0]!);
}
