/** Whether pictures are drawn by the processor, as where there is no graphics card: then every pixel counts. */
export function drawnBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** How well things are drawn, from the best to what a slow machine can do while they move. */
const LEVELS = [
  { shadows: true, finest: 2 },
  { shadows: false, finest: 1 },
  { shadows: false, finest: 0.7 },
  { shadows: false, finest: 0.5 },
] as const;

/** What stands still is drawn as well as can be, what moves as fast as it must. */
export class Quality {
  moving = false;
  private level: number;
  constructor(readonly software: boolean) {
    this.level = software ? 1 : 0;
  }
  private get now(): (typeof LEVELS)[number] {
    return LEVELS[this.moving ? this.level : 0]!;
  }
  get shadows(): boolean {
    return this.now.shadows;
  }
  /** Pixels drawn for each of the page. Without a graphics card edges are made smooth by drawing more of them, once. */
  get pixelRatio(): number {
    return Math.min(this.software && !this.moving ? 2 : window.devicePixelRatio, this.now.finest);
  }
  /** One level down; false at the end. */
  coarser(): boolean {
    if (this.level === LEVELS.length - 1) return false;
    ++this.level;
    return true;
  }
}
