import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { color } from "./colors.ts";
import { creased } from "./creases.ts";
import type { Ground, Shape } from "./scene.ts";

/** Sets a pose (x, y, z, qx, qy, qz, qw) from a list of numbers. */
export function setPose(object: THREE.Object3D, numbers: ArrayLike<number>, at = 0): void {
  object.position.set(numbers[at]!, numbers[at + 1]!, numbers[at + 2]!);
  object.quaternion.set(numbers[at + 3]!, numbers[at + 4]!, numbers[at + 5]!, numbers[at + 6]!);
}

/** Corners around a round shape: fewer where there are thousands of shapes. */
export function roundness(shapes: number): number {
  return shapes > 2000 ? 10 : 28;
}

function geometryOf(shape: Shape, around: number): THREE.BufferGeometry {
  const [a, b, c] = shape.size;
  const upright = (g: THREE.BufferGeometry): THREE.BufferGeometry => g.rotateX(Math.PI / 2); // three's axis is y
  switch (shape.kind) {
    case "box":
      return new THREE.BoxGeometry(a, b, c);
    case "sphere":
      return new THREE.SphereGeometry(a, around, Math.ceil(0.57 * around));
    case "cylinder":
      return upright(new THREE.CylinderGeometry(a, a, b, around + 4));
    case "capsule":
      return upright(new THREE.CapsuleGeometry(a, b, Math.ceil(around / 4), around - 4));
    case "ellipsoid":
      return new THREE.SphereGeometry(1, around, Math.ceil(0.57 * around)).scale(a, b, c);
    case "plane":
      return new THREE.PlaneGeometry(20, 20);
    default:
      return meshGeometry(shape);
  }
}

function meshGeometry(shape: Shape): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  if (shape.corners && shape.faces) {
    const { positions, normals } = creased(shape.corners, shape.faces);
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  }
  return geometry;
}

/** Grey, white and black say nothing in a model file but that nobody chose: then the robot gets our own colours. */
export function isChosen(rgba: number[] | null): boolean {
  if (rgba === null) return false;
  const [r, g, b] = rgba as [number, number, number];
  return Math.max(r, g, b) - Math.min(r, g, b) > 0.02;
}

const WHITE = new THREE.Color("#ffffff");
const DARKEST = 0.035; // what a black part reflects
const TONES = ["#8fa3b8", "#6f87a3", "#a9b8c8"];

function paintOf(shape: Shape, link: number, asGiven: boolean): THREE.Color {
  const rgba = shape.color;
  if (asGiven ? rgba !== null : isChosen(rgba)) {
    const given = new THREE.Color().setRGB(rgba![0]!, rgba![1]!, rgba![2]!, THREE.SRGBColorSpace);
    return given.lerp(WHITE, DARKEST); // black hides every form
  }
  return new THREE.Color(shape.madeUp && shape.kind === "sphere" ? color("stanceLeg") : TONES[link % TONES.length]!);
}

/** In its place on the link, ready to become one with the others. */
export function placed(shape: Shape, around: number): THREE.BufferGeometry {
  const made = geometryOf(shape, around);
  const geometry = made.index ? made.toNonIndexed() : made;
  geometry.deleteAttribute("uv");
  const place = new THREE.Object3D();
  setPose(place, shape.pose);
  place.updateMatrix();
  geometry.applyMatrix4(place.matrix);
  return geometry;
}

function painted(shape: Shape, link: number, asGiven: boolean, around: number): THREE.BufferGeometry {
  const geometry = placed(shape, around);
  const paint = paintOf(shape, link, asGiven);
  const colors = new Float32Array(3 * geometry.getAttribute("position").count);
  for (let i = 0; i < colors.length; i += 3) paint.toArray(colors, i);
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  return geometry;
}

const opacityOf = (shape: Shape): number => (shape.color === null ? 1 : Math.max(0.1, shape.color[3] ?? 1));

/** Makes one mesh of what moves together: a robot of a hundred shapes is drawn in as many calls as it has links. */
export class LinkPainter {
  private readonly materials = new Map<number, THREE.Material>();
  constructor(
    private readonly plain: boolean,
    private readonly asGiven = false,
    private readonly around = roundness(0),
  ) {}

  private material(opacity: number): THREE.Material {
    let found = this.materials.get(opacity);
    if (found === undefined) {
      // Many files have faces turned the wrong way: both sides are drawn.
      const look = { vertexColors: true, transparent: opacity < 1, opacity, side: THREE.DoubleSide };
      found = this.plain ? new THREE.MeshLambertMaterial(look) : new THREE.MeshStandardMaterial({ ...look, roughness: 0.55, metalness: 0.08 });
      this.materials.set(opacity, found);
    }
    return found;
  }

  meshes(shapes: Shape[], link: number): THREE.Mesh[] {
    return [...new Set(shapes.map(opacityOf))].flatMap((opacity) => {
      const parts = shapes.filter((shape) => opacityOf(shape) === opacity).map((shape) => painted(shape, link, this.asGiven, this.around));
      const whole = mergeGeometries(parts.filter((part) => part.getAttribute("position").count > 0));
      if (whole === null) return [];
      const mesh = new THREE.Mesh(whole, this.material(opacity));
      mesh.castShadow = shapes.every((shape) => shape.kind !== "plane");
      mesh.receiveShadow = true;
      return [mesh];
    });
  }
}

/** A ground that is not flat, as triangles. */
function heightGeometry(ground: Ground & { kind: "heights" }): THREE.BufferGeometry {
  const { columns, rows, spacing, heights } = ground;
  const corners = new Float32Array(3 * columns * rows);
  const faces: number[] = [];
  for (let j = 0; j < rows; ++j)
    for (let i = 0; i < columns; ++i) {
      const k = j * columns + i;
      corners.set([ground.x + i * spacing, ground.y + j * spacing, heights[k]!], 3 * k);
      if (i + 1 < columns && j + 1 < rows) faces.push(k, k + 1, k + columns, k + 1, k + columns + 1, k + columns);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  geometry.setIndex(faces);
  geometry.computeVertexNormals();
  return geometry;
}

/** Lines every metre and fainter ones every tenth, that fade with the distance: drawn by the pixel, so never jagged. */
function gridMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    uniforms: { line: { value: new THREE.Color() }, eye: { value: new THREE.Vector3() }, reach: { value: 8 }, cell: { value: 1 } },
    vertexShader: `varying vec3 at; varying vec2 place;
      void main() { vec4 w = modelMatrix * vec4(position, 1.0); at = w.xyz; place = position.xy; gl_Position = projectionMatrix * viewMatrix * w; }`,
    fragmentShader: `uniform vec3 line; uniform vec3 eye; uniform float reach; uniform float cell; varying vec3 at; varying vec2 place;
      float lines(float size) { vec2 c = place / size; vec2 d = abs(fract(c - 0.5) - 0.5) / fwidth(c); return 1.0 - min(min(d.x, d.y), 1.0); }
      void main() {
        float fade = 1.0 - smoothstep(0.25 * reach, reach, distance(at.xy, eye.xy));
        float strength = max(0.5 * lines(cell), 0.13 * lines(0.2 * cell));
        gl_FragColor = vec4(line, strength * fade);
      }`,
  });
}

export class GroundView {
  readonly object = new THREE.Group();
  private readonly grid = gridMaterial();
  private readonly shadow = new THREE.ShadowMaterial({ opacity: 0.22 });
  private readonly solid = new THREE.MeshStandardMaterial({ roughness: 0.95, side: THREE.DoubleSide });
  private readonly flat: boolean;
  private catcher: THREE.Mesh | null = null;

  constructor(ground: Ground | null, size: number) {
    this.flat = ground === null || ground.kind === "plane";
    this.grid.uniforms["cell"]!.value = 10 ** Math.round(Math.log10(Math.max(size, 1e-3)));
    if (ground !== null && ground.kind === "heights") {
      const mesh = new THREE.Mesh(heightGeometry(ground), this.solid);
      mesh.receiveShadow = true;
      const lines = new THREE.Mesh(mesh.geometry, this.grid);
      lines.position.z = 1e-3 * size;
      this.object.add(mesh, lines);
      return;
    }
    const plane = new THREE.PlaneGeometry(400 * size, 400 * size);
    this.catcher = new THREE.Mesh(plane, this.shadow);
    this.catcher.receiveShadow = true;
    const lines = new THREE.Mesh(plane, this.grid);
    lines.position.z = -2e-4 * size;
    this.object.add(lines, this.catcher);
    if (ground !== null) setPose(this.object, ground.pose);
  }

  update(eye: THREE.Vector3, reach: number): void {
    (this.grid.uniforms["eye"]!.value as THREE.Vector3).copy(eye);
    this.grid.uniforms["reach"]!.value = reach;
  }
  setShadows(on: boolean): void {
    if (this.catcher) this.catcher.visible = on;
  }
  recolor(line: string, solid: string): void {
    (this.grid.uniforms["line"]!.value as THREE.Color).set(line);
    if (!this.flat) this.solid.color.set(solid);
  }
}
