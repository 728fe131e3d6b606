import * as THREE from "three";
import { color } from "./colors.ts";
import { convexHull, type Point } from "./hull.ts";
import { CONTACT_COLUMNS, type Scene } from "./scene.ts";
import { setPose } from "./shapes.ts";

// What is drawn over the robot: forces, cones, the centre of mass, trails, frames, axes, footprints. Each is a layer that
// can be switched off and is brought to a frame by update().

export interface Layer {
  readonly object: THREE.Object3D;
  update(frame: number, time: number, links: THREE.Object3D[]): void;
  /** Told at every picture, also while it is switched off. */
  shown?(on: boolean): void;
}

export const UP = new THREE.Vector3(0, 0, 1);

export function glass(hex: string, opacity: number): THREE.MeshBasicMaterial {
  return new THREE.MeshBasicMaterial({ color: hex, transparent: true, opacity, depthWrite: false, side: THREE.DoubleSide });
}

/** Objects of one kind, made as they are needed and hidden when they are not. */
class Pool<T extends THREE.Object3D> {
  private used = 0;
  private readonly all: T[] = [];
  constructor(
    private readonly parent: THREE.Object3D,
    private readonly make: () => T,
  ) {}
  begin(): void {
    this.used = 0;
  }
  next(): T {
    if (this.used === this.all.length) {
      this.all.push(this.make());
      this.parent.add(this.all.at(-1)!);
    }
    const object = this.all[this.used++]!;
    object.visible = true;
    return object;
  }
  end(): void {
    for (let i = this.used; i < this.all.length; ++i) this.all[i]!.visible = false;
  }
}

interface Contact {
  a: number;
  b: number;
  point: THREE.Vector3;
  force: THREE.Vector3;
  normal: THREE.Vector3;
  friction: number;
}

/** Contacts of a frame. */
export function contactsOf(scene: Scene, frame: number): Contact[] {
  const { contactFirst, contacts } = scene.frames;
  const out: Contact[] = [];
  for (let i = contactFirst[frame] ?? 0; i < (contactFirst[frame + 1] ?? 0); ++i) {
    const c = contacts.subarray(i * CONTACT_COLUMNS, (i + 1) * CONTACT_COLUMNS);
    const vector = (k: number): THREE.Vector3 => new THREE.Vector3(c[k], c[k + 1], c[k + 2]);
    out.push({ a: c[0]!, b: c[1]!, point: vector(2), force: vector(5), normal: vector(8), friction: c[11]! });
  }
  return out;
}

/** Arrows along forces, up to a length: an impact would leave the picture. */
export class ForceArrows implements Layer {
  readonly object = new THREE.Group();
  private readonly arrows: Pool<THREE.Group>;
  constructor(
    private readonly scene: Scene,
    private readonly size: number,
    private readonly perNewton: number,
  ) {
    const material = new THREE.MeshStandardMaterial({ color: color("contactForce"), roughness: 0.4 });
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.arrows = new Pool(this.object, () => {
      const arrow = new THREE.Group();
      arrow.add(new THREE.Mesh(shaft, material), new THREE.Mesh(head, material));
      return arrow;
    });
  }
  update(frame: number): void {
    this.arrows.begin();
    for (const { point, force } of contactsOf(this.scene, frame)) {
      const length = Math.min(force.length() * this.perNewton, 1.1 * this.size);
      if (!(length > 1e-4 * this.size)) continue;
      const arrow = this.arrows.next();
      const head = Math.min(0.06 * this.size, 0.5 * length);
      arrow.position.copy(point);
      arrow.quaternion.setFromUnitVectors(UP, force.clone().normalize());
      arrow.children[0]!.scale.set(0.009 * this.size, 0.009 * this.size, length - head);
      arrow.children[1]!.scale.set(0.42 * head, 0.42 * head, head);
      arrow.children[1]!.position.z = length - head;
    }
    this.arrows.end();
  }
}

/** The cone that a force must stay in so that the contact does not slip. */
export class FrictionCones implements Layer {
  readonly object = new THREE.Group();
  private readonly cones: Pool<THREE.Mesh>;
  constructor(
    private readonly scene: Scene,
    private readonly size: number,
  ) {
    const geometry = new THREE.ConeGeometry(1, 1, 40, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    const material = glass(color("frictionCone"), 0.22);
    this.cones = new Pool(this.object, () => new THREE.Mesh(geometry, material));
  }
  update(frame: number): void {
    this.cones.begin();
    for (const { point, normal, friction } of contactsOf(this.scene, frame)) {
      if (!(friction > 0 && friction < 20)) continue;
      const cone = this.cones.next();
      const height = (0.16 * this.size) / Math.sqrt(1 + friction * friction);
      cone.position.copy(point);
      cone.quaternion.setFromUnitVectors(UP, normal);
      cone.scale.set(friction * height, friction * height, height);
    }
    this.cones.end();
  }
}

/** The usual mark: a ball in quarters of black and white, and where it is on the ground. */
export class CenterOfMass implements Layer {
  readonly object = new THREE.Group();
  private readonly ball: THREE.Mesh;
  private readonly foot: THREE.Mesh;
  private readonly drop: THREE.Line;
  constructor(
    private readonly scene: Scene,
    size: number,
    private readonly groundHeight: (x: number, y: number) => number,
  ) {
    const canvas = document.createElement("canvas");
    canvas.width = 4;
    canvas.height = 2;
    const paint = canvas.getContext("2d")!;
    for (let i = 0; i < 8; ++i) {
      paint.fillStyle = (i + (i >> 2)) % 2 === 0 ? "#111" : "#fff";
      paint.fillRect(i % 4, i >> 2, 1, 1);
    }
    const texture = new THREE.CanvasTexture(canvas);
    texture.magFilter = THREE.NearestFilter;
    texture.generateMipmaps = false;
    texture.minFilter = THREE.NearestFilter;
    const seenThrough = { depthTest: false, transparent: true };
    const sphere = new THREE.SphereGeometry(0.035 * size, 32, 16).rotateX(Math.PI / 2);
    this.ball = new THREE.Mesh(sphere, new THREE.MeshBasicMaterial({ map: texture, ...seenThrough }));
    this.ball.renderOrder = 10;
    this.foot = new THREE.Mesh(new THREE.RingGeometry(0.018 * size, 0.03 * size, 32), glass(color("centerOfMass"), 0.9));
    const line = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
    this.drop = new THREE.Line(line, new THREE.LineBasicMaterial({ color: color("centerOfMass"), transparent: true, opacity: 0.6 }));
    this.drop.frustumCulled = false;
    this.object.add(this.ball, this.foot, this.drop);
  }
  update(frame: number): void {
    const { poses, columns } = this.scene.frames;
    const at = frame * columns + columns - 3;
    const [x, y, z] = [poses[at]!, poses[at + 1]!, poses[at + 2]!];
    const ground = this.groundHeight(x, y);
    this.ball.position.set(x, y, z);
    this.foot.position.set(x, y, ground + 2e-3);
    const points = this.drop.geometry.getAttribute("position") as THREE.BufferAttribute;
    points.setXYZ(0, x, y, z);
    points.setXYZ(1, x, y, ground);
    points.needsUpdate = true;
  }
}

/** The hull of what presses on the world, seen from above. */
export class SupportPolygon implements Layer {
  readonly object = new THREE.Group();
  private readonly area: THREE.Mesh;
  private readonly edge: THREE.LineLoop;
  constructor(private readonly scene: Scene) {
    this.area = new THREE.Mesh(new THREE.BufferGeometry(), glass(color("support"), 0.28));
    this.edge = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: color("support") }));
    this.area.frustumCulled = this.edge.frustumCulled = false;
    this.object.add(this.area, this.edge);
  }
  update(frame: number): void {
    const onWorld = contactsOf(this.scene, frame).filter((c) => c.a < 0 || c.b < 0);
    const height = Math.min(...onWorld.map((c) => c.point.z)) + 1e-3;
    const hull = convexHull(onWorld.map((c): Point => [c.point.x, c.point.y]));
    this.object.visible = hull.length >= 3;
    if (hull.length < 3) return;
    const points = new Float32Array(hull.flatMap(([x, y]) => [x, y, height]));
    for (const part of [this.area, this.edge]) {
      part.geometry.dispose();
      part.geometry = new THREE.BufferGeometry();
      part.geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    }
    const fan = [];
    for (let i = 2; i < hull.length; ++i) fan.push(0, i - 1, i);
    this.area.geometry.setIndex(fan);
  }
}

/** Frees what a layer holds on the graphics card. */
export function dispose(object: THREE.Object3D): void {
  object.traverse((part) => {
    const { geometry, material } = part as THREE.Mesh;
    geometry?.dispose();
    for (const one of [material ?? []].flat()) one.dispose();
  });
}

/** Where a place on a link is in a frame. */
function placeAt(scene: Scene, frame: number, link: number, point: number[], out: THREE.Vector3): THREE.Vector3 {
  const { poses, columns } = scene.frames;
  const at = frame * columns + 7 * (link - 1);
  TURN.set(poses[at + 3]!, poses[at + 4]!, poses[at + 5]!, poses[at + 6]!);
  out.set(point[0]!, point[1]!, point[2]!).applyQuaternion(TURN);
  out.x += poses[at]!;
  out.y += poses[at + 1]!;
  out.z += poses[at + 2]!;
  return out;
}
const TURN = new THREE.Quaternion();

/** The colours of a walker's two sides; others take turns. */
function sideColor(name: string, index: number): string {
  if (/^(outer|right)/.test(name)) return color("stanceLeg");
  if (/^(inner|left)/.test(name)) return color("swingLeg");
  return index % 2 === 0 ? color("stanceLeg") : color("swingLeg");
}

/** Where the centre of mass, feet and hands went, up to now. */
export class Trails implements Layer {
  readonly object = new THREE.Group();
  private readonly lines: THREE.Line[] = [];
  constructor(private readonly scene: Scene) {
    const { columns, poses } = scene.frames;
    const center = (frame: number, out: THREE.Vector3): THREE.Vector3 => out.fromArray(poses, frame * columns + columns - 3);
    this.add(center, color("centerOfMass"));
    scene.tips.forEach(({ name, link, point }, k) => link > 0 && this.add((frame, out) => placeAt(scene, frame, link, point, out), sideColor(name, k)));
  }
  private add(place: (frame: number, out: THREE.Vector3) => THREE.Vector3, hex: string): void {
    const { rows } = this.scene.frames;
    const points = new Float32Array(3 * rows);
    const at = new THREE.Vector3();
    for (let i = 0; i < rows; ++i) place(i, at).toArray(points, 3 * i);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: hex, transparent: true, opacity: 0.75 }));
    line.frustumCulled = false;
    this.lines.push(line);
    this.object.add(line);
  }
  update(frame: number): void {
    const rate = this.scene.frames.rows / Math.max(1e-9, this.scene.frames.t.at(-1)! - this.scene.frames.t[0]!);
    const first = Math.max(0, frame - Math.round(6 * rate)); // the last seconds: an hour of it would be a knot
    for (const line of this.lines) line.geometry.setDrawRange(first, frame - first + 1);
  }
}

/** How far the centre of mass gets. */
export function travels(scene: Scene, size: number): boolean {
  const { rows, columns, poses } = scene.frames;
  if (rows < 2 || !(scene.mass > 0)) return false;
  const last = (rows - 1) * columns + columns - 3;
  return Math.hypot(poses[last]! - poses[columns - 3]!, poses[last + 1]! - poses[columns - 2]!) > 0.8 * size;
}

/** The whole motion at a glance: lines from joint to joint, at even times. */
export class StickStrip implements Layer {
  readonly object: THREE.LineSegments;
  private readonly perFigure: number;
  private readonly frames: number[] = [];
  constructor(private readonly scene: Scene) {
    const { rows } = scene.frames;
    const most = 120;
    for (let i = 0; i < Math.min(most, rows); ++i) this.frames.push(Math.round((i * (rows - 1)) / Math.max(1, Math.min(most, rows) - 1)));
    const points: number[] = [];
    const colors: number[] = [];
    for (const frame of this.frames) this.addFigure(frame, points, colors);
    this.perFigure = points.length / 3 / Math.max(1, this.frames.length);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
    this.object = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.6 }));
    this.object.frustumCulled = false;
  }
  private addFigure(frame: number, points: number[], colors: number[]): void {
    const [from, to] = [new THREE.Vector3(), new THREE.Vector3()];
    const add = (link: number, point: number[], end: number, endPoint: number[], name: string): void => {
      points.push(...placeAt(this.scene, frame, link, point, from).toArray(), ...placeAt(this.scene, frame, end, endPoint, to).toArray());
      const paint = new THREE.Color(/^(outer|right|inner|left)/.test(name) ? sideColor(name, 0) : color("faint")).toArray();
      colors.push(...paint, ...paint);
    };
    const origin = [0, 0, 0];
    // Links that have nothing to see only place others.
    this.scene.links.forEach((link, i) => {
      const parent = this.scene.links[link.parent];
      if (i > 0 && link.parent > 0 && parent && parent.shapes.length > 0) add(link.parent, origin, i, origin, parent.name);
    });
    for (const { name, link, point } of this.scene.tips) if (link > 0) add(link, origin, link, point, name);
  }
  update(_frame: number, time: number): void {
    const { t } = this.scene.frames;
    const past = this.frames.filter((frame) => t[frame]! <= time).length;
    this.object.geometry.setDrawRange(0, Math.round(past * this.perFigure));
  }
}

/** The frame of each link. */
export class LinkFrames implements Layer {
  readonly object = new THREE.Group();
  constructor(scene: Scene, size: number) {
    for (let i = 1; i < scene.links.length; ++i) {
      const axes = new THREE.AxesHelper(0.14 * size);
      (axes.material as THREE.LineBasicMaterial).depthTest = false;
      axes.renderOrder = 8;
      this.object.add(axes);
    }
  }
  update(_frame: number, _time: number, links: THREE.Object3D[]): void {
    this.object.children.forEach((axes, i) => {
      axes.position.copy(links[i + 1]!.position);
      axes.quaternion.copy(links[i + 1]!.quaternion);
    });
  }
}

/** The axis of each joint that has one. */
export class JointAxes implements Layer {
  readonly object = new THREE.Group();
  private readonly moved: number[];
  constructor(scene: Scene, size: number) {
    const geometry = new THREE.CylinderGeometry(0.006 * size, 0.006 * size, 0.26 * size, 10).rotateX(Math.PI / 2);
    const material = new THREE.MeshBasicMaterial({ color: color("jointAxis"), depthTest: false, transparent: true, opacity: 0.85 });
    this.moved = scene.joints.filter((joint) => joint.hasAxis).map((joint) => joint.link);
    for (const _ of this.moved) {
      const axis = new THREE.Mesh(geometry, material);
      axis.renderOrder = 9;
      this.object.add(axis);
    }
  }
  update(_frame: number, _time: number, links: THREE.Object3D[]): void {
    this.object.children.forEach((axis, i) => {
      axis.position.copy(links[this.moved[i]!]!.position);
      axis.quaternion.copy(links[this.moved[i]!]!.quaternion);
    });
  }
}

/** Where a body came to touch the world: a mark that stays. */
export class Footprints implements Layer {
  readonly object = new THREE.Group();
  private readonly marks: { t: number; mesh: THREE.Mesh }[] = [];
  constructor(scene: Scene, size: number) {
    const most = 400;
    const geometry = new THREE.CircleGeometry(0.03 * size, 24);
    const material = glass(color("footprint"), 0.55);
    let before = new Map<number, THREE.Vector3>();
    for (let frame = 0; frame < scene.frames.rows && this.marks.length < most; ++frame) {
      const now = new Map<number, THREE.Vector3>();
      for (const c of contactsOf(scene, frame)) {
        if (c.a >= 0 && c.b >= 0) continue;
        const body = Math.max(c.a, c.b);
        if (!now.has(body)) now.set(body, c.point);
        if (before.has(body) || now.get(body) !== c.point) continue;
        const mesh = new THREE.Mesh(geometry, material);
        mesh.position.copy(c.point);
        mesh.position.z += 1.5e-3 * size;
        mesh.quaternion.setFromUnitVectors(UP, c.normal);
        this.marks.push({ t: scene.frames.t[frame]!, mesh });
        this.object.add(mesh);
      }
      before = now;
    }
  }
  update(_frame: number, time: number): void {
    for (const { t, mesh } of this.marks) mesh.visible = t <= time;
  }
}

/** Springs between bodies, as zigzags. */
export class Springs implements Layer {
  readonly object = new THREE.Group();
  constructor(
    private readonly scene: Scene,
    private readonly size: number,
  ) {
    const material = new THREE.LineBasicMaterial({ color: color("springs") });
    for (const _ of scene.springs) {
      const line = new THREE.Line(new THREE.BufferGeometry(), material);
      line.frustumCulled = false;
      this.object.add(line);
    }
  }
  update(_frame: number, _time: number, links: THREE.Object3D[]): void {
    this.scene.springs.forEach((spring, i) => {
      const a = new THREE.Vector3(...(spring.pointA as [number, number, number])).applyMatrix4(links[spring.linkA]!.matrixWorld);
      const b = new THREE.Vector3(...(spring.pointB as [number, number, number])).applyMatrix4(links[spring.linkB]!.matrixWorld);
      const along = b.clone().sub(a);
      const across = new THREE.Vector3().crossVectors(along, Math.abs(along.z) > 0.9 * along.length() ? new THREE.Vector3(1, 0, 0) : UP);
      across.normalize().multiplyScalar(0.03 * this.size);
      const turns = 14;
      const points = Array.from({ length: turns + 1 }, (_, k) => {
        const side = k === 0 || k === turns ? 0 : k % 2 === 0 ? 1 : -1;
        return a.clone().addScaledVector(along, k / turns).addScaledVector(across, side);
      });
      (this.object.children[i] as THREE.Line).geometry.setFromPoints(points);
    });
  }
}

export function poseLinks(scene: Scene, frame: number, next: number, share: number, links: THREE.Object3D[]): void {
  const { poses, columns } = scene.frames;
  const turn = new THREE.Quaternion();
  for (let i = 1; i < links.length; ++i) {
    const a = frame * columns + 7 * (i - 1);
    const b = next * columns + 7 * (i - 1);
    const link = links[i]!;
    setPose(link, poses, a);
    if (share > 0) {
      link.position.lerp(new THREE.Vector3(poses[b], poses[b + 1], poses[b + 2]), share);
      link.quaternion.slerp(turn.set(poses[b + 3]!, poses[b + 4]!, poses[b + 5]!, poses[b + 6]!), share);
    }
    link.updateMatrixWorld();
  }
}
