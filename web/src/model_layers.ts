import * as THREE from "three";
import { color } from "./colors.ts";
import type { Model, ModelShape } from "./model.ts";
import type { ModelState } from "./model_state.ts";
import { CenterOfMass, Springs, UP, type Layer } from "./overlays.ts";
import { compose, placeOf, poseOf, transform, turnOf, type Pose } from "./pose.ts";
import type { Scene } from "./scene.ts";
import { placed, roundness, type LinkPainter } from "./shapes.ts";
import { groundHeight, type LayerPlan } from "./view3d.ts";

// What is drawn of a model: its shapes, and over them frames, axes, inertias and contacts.

const MOST_FRAMES = 1500;

/** The shapes of bodies, one mesh for each body and opacity so that a body can be pointed at. */
export class BodyShapes implements Layer {
  readonly object = new THREE.Group(); // empty: shapes are on their links
  private meshes: THREE.Object3D[] | null = null;
  private readonly around: number;
  constructor(
    private readonly model: Model,
    private readonly links: THREE.Object3D[],
    private readonly painter: LinkPainter,
    private readonly collision: boolean,
  ) {
    this.around = roundness(model.shapes.length);
    if (!collision) this.meshes = this.make();
  }

  private make(): THREE.Object3D[] {
    const groups = new Map<string, ModelShape[]>();
    for (const shape of this.model.shapes) {
      if (shape.collision !== this.collision) continue;
      const key = `${shape.owner} ${shape.link} ${shape.wire}`;
      const group = groups.get(key);
      if (group) group.push(shape);
      else groups.set(key, [shape]);
    }
    return [...groups.values()].flatMap((shapes) => {
      const { owner, link, wire } = shapes[0]!;
      const meshes = wire ? [this.wires(shapes)] : this.collision ? [this.glassy(shapes)] : this.painter.meshes(shapes, link);
      for (const mesh of meshes) {
        mesh.userData["body"] = owner;
        this.links[link]!.add(mesh);
      }
      return meshes;
    });
  }

  private glassy(shapes: ModelShape[]): THREE.Object3D {
    const group = new THREE.Group();
    const material = new THREE.MeshLambertMaterial({ color: color("springs"), transparent: true, opacity: 0.42, depthWrite: false });
    for (const shape of shapes) group.add(new THREE.Mesh(placed(shape, this.around), material));
    for (const mesh of group.children) mesh.userData["body"] = shapes[0]!.owner;
    return group;
  }

  /** The edges of boxes that stand for meshes that are not there. */
  private wires(shapes: ModelShape[]): THREE.Object3D {
    const group = new THREE.Group();
    for (const shape of shapes) group.add(new THREE.LineSegments(new THREE.EdgesGeometry(placed(shape, this.around)), new THREE.LineBasicMaterial({ color: color("swingLeg") })));
    return group;
  }

  update(): void {}
  shown(on: boolean): void {
    if (on) this.meshes ??= this.make();
    for (const mesh of this.meshes ?? []) mesh.visible = on;
  }
}

const MATRIX = new THREE.Matrix4();
function matrixOf(X: Pose, size: ArrayLike<number>): THREE.Matrix4 {
  return MATRIX.compose(new THREE.Vector3(...placeOf(X)), new THREE.Quaternion(...turnOf(X)), new THREE.Vector3(size[0], size[1], size[2]));
}

/** Many copies of one thing, each with a pose and a size. */
class Copies implements Layer {
  readonly object: THREE.InstancedMesh;
  constructor(
    geometry: THREE.BufferGeometry,
    material: THREE.Material,
    private readonly count: number,
    private readonly at: (i: number) => { pose: Pose; size: ArrayLike<number> },
  ) {
    this.object = new THREE.InstancedMesh(geometry, material, Math.max(1, count));
    this.object.count = count;
    this.object.frustumCulled = false;
    this.object.renderOrder = 9;
  }
  update(): void {
    for (let i = 0; i < this.count; ++i) {
      const { pose, size } = this.at(i);
      this.object.setMatrixAt(i, matrixOf(pose, size));
    }
    this.object.instanceMatrix.needsUpdate = true;
  }
}

const seenThrough = (hex: string, opacity: number): THREE.Material => new THREE.MeshBasicMaterial({ color: hex, depthTest: false, transparent: true, opacity });

/** Axes x, y, z in red, green, blue. */
class FrameAxes implements Layer {
  readonly object: THREE.LineSegments;
  private readonly points: THREE.BufferAttribute;
  constructor(
    private readonly count: number,
    private readonly length: number,
    private readonly at: (i: number) => Pose,
  ) {
    const geometry = new THREE.BufferGeometry();
    this.points = new THREE.BufferAttribute(new Float32Array(18 * count), 3);
    const paint = ["#e5484d", "#2fa84f", "#3b82f6"].flatMap((hex) => [new THREE.Color(hex).toArray(), new THREE.Color(hex).toArray()].flat());
    geometry.setAttribute("position", this.points);
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(Array.from({ length: count }, () => paint).flat(), 3));
    this.object = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
    this.object.renderOrder = 8;
    this.object.frustumCulled = false;
  }
  update(): void {
    for (let i = 0; i < this.count; ++i) {
      const X = this.at(i);
      const from = placeOf(X);
      for (const k of [0, 1, 2] as const) {
        const tip: [number, number, number] = [0, 0, 0];
        tip[k] = this.length;
        this.points.setXYZ(6 * i + 2 * k, ...from);
        this.points.setXYZ(6 * i + 2 * k + 1, ...transform(X, tip));
      }
    }
    this.points.needsUpdate = true;
  }
}

function bodiesWithMass(model: Model): number[] {
  return model.bodies.flatMap((b, i) => (b.mass > 0 ? [i] : []));
}

function masses(state: ModelState, size: number): Layer {
  const { model } = state;
  const bodies = bodiesWithMass(model);
  const largest = Math.max(...bodies.map((i) => model.bodies[i]!.mass));
  return new Copies(new THREE.SphereGeometry(1, 20, 12), seenThrough(color("centerOfMass"), 0.8), bodies.length, (n) => {
    const i = bodies[n]!;
    const b = model.bodies[i]!;
    const r = 0.022 * size * Math.max(0.2, Math.cbrt(b.mass / largest));
    return { pose: poseOf(transform(state.bodyPose(i), b.com), [0, 0, 0, 1]), size: [r, r, r] };
  });
}

function inertias(state: ModelState): Layer {
  const bodies = bodiesWithMass(state.model).filter((i) => Math.max(...state.model.bodies[i]!.ellipsoid) > 0);
  const material = new THREE.MeshLambertMaterial({ color: color("centerOfMass"), transparent: true, opacity: 0.45, depthWrite: false });
  return new Copies(new THREE.SphereGeometry(1, 28, 16), material, bodies.length, (n) => {
    const b = state.model.bodies[bodies[n]!]!;
    const thick = b.ellipsoid.map((a) => Math.max(a, 1e-3 * Math.max(...b.ellipsoid)));
    return { pose: compose(state.bodyPose(bodies[n]!), poseOf(b.com, b.axes)), size: thick };
  });
}

function jointAxes(state: ModelState, size: number): Layer {
  const geometry = new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2);
  const { length } = state.axes;
  return new Copies(geometry, seenThrough(color("jointAxis"), 0.85), length, (i) => ({
    pose: state.axes[i]!.pose,
    size: [0.0035 * size, 0.0035 * size, 0.11 * size],
  }));
}

/** Where things touch in the posture shown first: other postures have no contacts here. */
class Contacts implements Layer {
  readonly object = new THREE.Group();
  private readonly points = new THREE.Group();
  constructor(
    private readonly state: ModelState,
    size: number,
  ) {
    this.object.add(this.points);
    const ball = new THREE.SphereGeometry(0.007 * size, 16, 10);
    const stick = new THREE.CylinderGeometry(0.0025 * size, 0.0025 * size, 0.06 * size, 8).rotateX(Math.PI / 2).translate(0, 0, 0.03 * size);
    const material = seenThrough(color("contactForce"), 0.9);
    for (const { point, normal } of state.model.contacts) {
      const mark = new THREE.Group();
      mark.add(new THREE.Mesh(ball, material), new THREE.Mesh(stick, material));
      mark.position.set(...point);
      mark.quaternion.setFromUnitVectors(UP, new THREE.Vector3(...normal).normalize());
      this.points.add(mark);
    }
  }
  update(): void {
    this.points.visible = this.state.isFirst;
  }
}

/** The axis or the center of mass of what is chosen. */
class Chosen implements Layer {
  readonly object = new THREE.Group();
  private readonly axis: THREE.Mesh;
  private readonly frame: FrameAxes;
  constructor(
    private readonly state: ModelState,
    size: number,
  ) {
    const geometry = new THREE.CylinderGeometry(0.006 * size, 0.006 * size, 0.4 * size, 12).rotateX(Math.PI / 2);
    this.axis = new THREE.Mesh(geometry, seenThrough(color("jointAxis"), 0.95));
    this.axis.renderOrder = 10;
    this.frame = new FrameAxes(1, 0.16 * size, () => this.pose());
    this.object.add(this.axis, this.frame.object);
  }
  private pose(): Pose {
    const { selection, model } = this.state;
    if (selection?.kind === "body") return this.state.bodyPose(selection.index);
    if (selection?.kind === "frame") {
      const frame = model.frames[selection.index]!;
      return compose(this.state.links[frame.link]!, frame.pose);
    }
    return [0, 0, 0, 0, 0, 0, 1];
  }
  update(): void {
    const { selection, model, axes } = this.state;
    const link = selection?.kind === "joint" ? model.joints[selection.index]!.link : -1;
    const axis = axes.find((a) => a.link === link);
    this.axis.visible = axis !== undefined;
    if (axis) {
      this.axis.position.set(...placeOf(axis.pose));
      this.axis.quaternion.set(...turnOf(axis.pose));
    }
    this.frame.object.visible = selection !== null && selection.kind !== "joint";
    if (this.frame.object.visible) this.frame.update();
  }
}

export function modelLayers(state: ModelState, shapes: { visual: BodyShapes; collision: BodyShapes }): (scene: Scene, size: number) => LayerPlan[] {
  const { model } = state;
  const some = (n: number): boolean => n > 0;
  return (scene, size) => {
    const plan = (id: string, label: string, on: boolean, available: boolean, make: () => Layer): LayerPlan => ({ id, label, on, available, make });
    const frames = Math.min(MOST_FRAMES, model.frames.length);
    const bodies = Math.min(MOST_FRAMES, model.bodies.length);
    return [
      plan("visual", "Shapes", true, true, () => shapes.visual),
      plan("collision", "Collision shapes", false, model.shapes.some((s) => s.collision), () => shapes.collision),
      plan("frames", "Body frames", false, some(bodies), () => new FrameAxes(bodies, 0.06 * size, (i) => state.bodyPose(i))),
      plan("sites", "Named frames", false, some(frames), () => new FrameAxes(frames, 0.05 * size, (i) => compose(state.links[model.frames[i]!.link]!, model.frames[i]!.pose))),
      plan("axes", "Joint axes", false, some(state.axes.length), () => jointAxes(state, size)),
      plan("masses", "Masses of bodies", false, some(bodiesWithMass(model).length), () => masses(state, size)),
      plan("inertias", "Inertia ellipsoids", false, some(bodiesWithMass(model).length), () => inertias(state)),
      plan("com", "Center of mass", true, model.mass > 0, () => new CenterOfMass(scene, size, groundHeight(scene))),
      plan("contacts", "Contacts", true, some(model.contacts.length), () => new Contacts(state, size)),
      plan("springs", "Springs", true, some(model.springs.length), () => new Springs(scene, size)),
      plan("chosen", "Selection", true, true, () => new Chosen(state, size)),
    ];
  };
}

/** Marks the shapes of a body by their color. */
export function highlight(links: THREE.Object3D[], body: number | null): void {
  for (const link of links)
    link.traverse((object) => {
      const mesh = object as THREE.Mesh;
      if (!(mesh.material instanceof THREE.MeshStandardMaterial || mesh.material instanceof THREE.MeshLambertMaterial)) return;
      const plain = (mesh.userData["plain"] ??= mesh.material) as THREE.MeshStandardMaterial;
      const on = body !== null && mesh.userData["body"] === body;
      if (!on) {
        mesh.material = plain;
        return;
      }
      const lit = plain.clone();
      lit.emissive.set(color("stanceLeg"));
      lit.emissiveIntensity = 0.75;
      mesh.material = lit;
    });
}
