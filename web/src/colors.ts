import palette from "amble:palette";

/** A colour by its meaning, as the whole of Amble uses it (src/amble/base/palette.hpp). */
export function color(meaning: string): string {
  const found = palette[meaning];
  if (typeof found !== "string") throw new Error(`the palette has no '${meaning}'`);
  return found;
}

/** For curves without a meaning of their own. */
export function curveColor(index: number): string {
  return palette.curves[index % palette.curves.length]!;
}
