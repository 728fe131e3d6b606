// Elements are made here, and texts are only ever texts: names come from files.

type Children = (Node | string)[];
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function apply(element: Element, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false) element.setAttribute(key, String(value));
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes);
  element.append(...children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Children): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, attributes);
  element.append(...children);
  return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no '${id}'`);
  return found as T;
}

export function option(value: string, text: string): HTMLOptionElement {
  return el("option", { value }, text);
}

/** Numbers as people read them: four digits that matter. */
export function shown(x: number): string {
  if (!Number.isFinite(x)) return "—";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2).replace("e+", "e");
  return x.toPrecision(4);
}

/** What the current theme makes of a variable of the style. */
export function themed(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
