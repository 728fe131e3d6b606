import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { themed } from "./dom.ts";
import * as overlays from "./overlays.ts";
import { rowAt, type Scene } from "./scene.ts";
import { Quality, drawnBySoftware } from "./quality.ts";
import { GroundView, LinkPainter, roundness } from "./shapes.ts";

THREE.Object3D.DEFAULT_UP.set(0, 0, 1);

const MARGIN = 1.14; // around a robot that fills the picture

export interface LayerInfo {
  id: string;
  label: string;
  on: boolean;
  available: boolean;
}

/** How large the things of a scene are, and where they begin. */
function boundsOf(links: THREE.Object3D[]): THREE.Box3 {
  const box = new THREE.Box3();
  for (const link of links.slice(1)) box.expandByObject(link);
  for (const part of links[0]!.children) if (part.userData["body"] >= 0) box.expandByObject(part); // bodies that stand fixed
  if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 1));
  return box;
}

export function groundHeight(scene: Scene): (x: number, y: number) => number {
  const ground = scene.ground;
  if (ground === null) return () => 0;
  if (ground.kind === "plane") {
    const p = ground.pose as [number, number, number, number, number, number, number];
    const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(p[3], p[4], p[5], p[6]));
    return (x, y) => p[2] - (normal.x * (x - p[0]) + normal.y * (y - p[1])) / normal.z;
  }
  return (x, y) => {
    const i = Math.min(ground.columns - 1, Math.max(0, Math.round((x - ground.x) / ground.spacing)));
    const j = Math.min(ground.rows - 1, Math.max(0, Math.round((y - ground.y) / ground.spacing)));
    return ground.heights[j * ground.columns + i]!;
  };
}

/** What can be drawn over a scene. */
export interface LayerPlan extends LayerInfo {
  make: () => overlays.Layer;
}

export interface ViewOptions {
  layers: (scene: Scene, size: number) => LayerPlan[];
  /** Adds to the links what moves with them, beside the shapes of the scene. */
  decorate?: (links: THREE.Object3D[], painter: LinkPainter) => void;
  fit?: boolean; // the first picture is filled by the robot, which stays where it is
  shapes?: number; // how many decorate() adds
  asGiven?: boolean; // colors of shapes, also grey ones
}

/** The layers of a recording. */
export function recordingLayers(scene: Scene, size: number): LayerPlan[] {
  const touches = scene.frames.contacts.length > 0;
  const weight = Math.max(1e-9, scene.mass * Math.hypot(...scene.gravity));
  const plan = (id: string, label: string, on: boolean, available: boolean, make: () => overlays.Layer): LayerPlan => ({ id, label, on, available, make });
  return [
    plan("forces", "Contact forces", true, touches, () => new overlays.ForceArrows(scene, size, (0.8 * size) / weight)),
    plan("cones", "Friction cones", true, touches, () => new overlays.FrictionCones(scene, size)),
    plan("support", "Support polygon", true, touches, () => new overlays.SupportPolygon(scene)),
    plan("com", "Centre of mass", true, scene.mass > 0, () => new overlays.CenterOfMass(scene, size, groundHeight(scene))),
    plan("trails", "Trails", true, true, () => new overlays.Trails(scene)),
    plan("footprints", "Footprints", true, touches, () => new overlays.Footprints(scene, size)),
    plan("frames", "Link frames", false, true, () => new overlays.LinkFrames(scene, size)),
    plan("axes", "Joint axes", false, scene.joints.some((j) => j.hasAxis), () => new overlays.JointAxes(scene, size)),
    plan("strip", "Stick figures", false, overlays.travels(scene, size), () => new overlays.StickStrip(scene)),
    plan("springs", "Springs", true, scene.springs.length > 0, () => new overlays.Springs(scene, size)),
  ];
}

/** The 3D picture of a scene. */
export class View3d {
  readonly layers: LayerInfo[] = [];
  follow = true;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 500);
  private readonly controls: OrbitControls;
  private readonly world = new THREE.Scene();
  private readonly sun = new THREE.DirectionalLight("#ffffff", 2.4);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#8a8a92", 1.5);
  private links: THREE.Object3D[] = [];
  private readonly drawn = new Map<string, overlays.Layer>();
  private robot = new THREE.Group();
  private ground!: GroundView;
  private size = 1;
  private center: THREE.Vector3 | null = null; // of mass, in the frame before
  private dirty = true;
  private readonly quality = new Quality(drawnBySoftware());

  constructor(
    private readonly host: HTMLElement,
    private scene: Scene,
    private readonly options: ViewOptions = { layers: recordingLayers },
  ) {
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.quality.software, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `3D picture of ${scene.name}`);
    host.append(canvas);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.world.add(this.sky, this.sun, this.sun.target, this.robot);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.build();
    this.recolor();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.home();
  }

  /** Takes a scene that has grown; the robot is the same. */
  grow(scene: Scene): void {
    this.scene = scene;
    for (const layer of this.drawn.values()) {
      this.world.remove(layer.object);
      overlays.dispose(layer.object);
    }
    this.drawn.clear();
    this.addLayers();
    this.dirty = true;
  }

  private build(): void {
    const painter = new LinkPainter(this.quality.software, this.options.asGiven, roundness(this.options.shapes ?? 0));
    this.links = this.scene.links.map((link, i) => {
      const group = new THREE.Group();
      group.name = link.name;
      for (const mesh of painter.meshes(link.shapes, i)) group.add(mesh);
      this.robot.add(group);
      return group;
    });
    this.options.decorate?.(this.links, painter);
    overlays.poseLinks(this.scene, 0, 0, 0, this.links);
    const box = boundsOf(this.links);
    this.size = Math.max(1e-3, box.getSize(new THREE.Vector3()).length() / 1.6);
    this.ground = new GroundView(this.scene.ground, this.size);
    this.world.add(this.ground.object);
    this.addLayers();
  }

  private addLayers(): void {
    for (const { id, label, on, available, make } of this.options.layers(this.scene, this.size)) {
      let info = this.layers.find((layer) => layer.id === id);
      if (info === undefined) this.layers.push((info = { id, label, on, available }));
      info.available = available;
      if (!available) continue;
      const layer = make();
      layer.object.visible = info.on;
      this.drawn.set(id, layer);
      this.world.add(layer.object);
    }
  }

  setLayer(id: string, on: boolean): void {
    const info = this.layers.find((layer) => layer.id === id);
    if (info) info.on = on;
    this.dirty = true;
  }

  recolor(): void {
    const paper = new THREE.Color(themed("--scene"));
    this.world.background = paper;
    this.world.fog = new THREE.Fog(paper, 14 * this.size, 40 * this.size);
    this.ground.recolor(themed("--scene-line"), themed("--scene-ground"));
    this.sky.intensity = Number(themed("--scene-light")) || 1.5;
    this.dirty = true;
  }

  /** Looks at the robot from the side and a little from above. */
  home(): void {
    const box = boundsOf(this.links);
    const middle = box.getCenter(new THREE.Vector3());
    const wide = this.camera.aspect < 1 ? 1 / this.camera.aspect : 1;
    this.controls.target.copy(middle);
    const away = new THREE.Vector3(1.5, -2.3, 0.85);
    const far = this.options.fit ? this.distanceFor(box, away) : this.size * wide * away.length();
    this.camera.position.copy(middle).add(away.setLength(far));
    this.camera.near = 0.01 * this.size;
    this.camera.far = 200 * this.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  /** How far away the camera is, in a direction, so that a box just fills the picture. */
  private distanceFor(box: THREE.Box3, direction: THREE.Vector3): number {
    const back = direction.clone().normalize();
    const right = new THREE.Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const half = Math.tan((this.camera.fov / 2) * (Math.PI / 180));
    const middle = box.getCenter(new THREE.Vector3());
    let far = 0.1 * this.size;
    for (const x of [box.min.x, box.max.x])
      for (const y of [box.min.y, box.max.y])
        for (const z of [box.min.z, box.max.z]) {
          const p = new THREE.Vector3(x, y, z).sub(middle);
          const needed = Math.max(Math.abs(p.dot(up)) / half, Math.abs(p.dot(right)) / (half * this.camera.aspect));
          far = Math.max(far, MARGIN * needed + p.dot(back));
        }
    return far;
  }

  /** Draws fewer pixels and no shadows while things move, where a machine is too slow for more; false at the end of it. */
  coarser(): boolean {
    if (!this.quality.coarser()) return false;
    this.applyQuality();
    return true;
  }
  /** A picture that stands still is always the best one. */
  setMoving(moving: boolean): void {
    if (moving === this.quality.moving) return;
    this.quality.moving = moving;
    this.applyQuality();
  }
  private applyQuality(): void {
    this.sun.castShadow = this.quality.shadows;
    this.ground.setShadows(this.quality.shadows);
    this.resize();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.quality.pixelRatio);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private moveWithRobot(frame: number): void {
    const { poses, columns } = this.scene.frames;
    const at = frame * columns + columns - 3;
    const center = new THREE.Vector3(poses[at], poses[at + 1], poses[at + 2]);
    if (!Number.isFinite(center.x + center.y + center.z) || this.scene.mass <= 0) return;
    const step = center.clone().sub(this.center ?? center);
    step.z *= 0.35; // a view that bobs with each step is unpleasant
    this.center = center;
    if (this.follow) {
      this.controls.target.add(step);
      this.camera.position.add(step);
    }
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).add(new THREE.Vector3(1.6, -1.2, 3.2).multiplyScalar(this.size));
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -2.2 * this.size;
    shadow.right = shadow.top = 2.2 * this.size;
    shadow.near = 0.1 * this.size;
    shadow.far = 10 * this.size;
    shadow.updateProjectionMatrix();
  }

  /** Brings the picture to a time; draws when anything has changed. */
  show(time: number, moved: boolean): boolean {
    const turned = this.controls.update();
    if (!moved && !this.dirty && !turned) return false;
    const { t, rows } = this.scene.frames;
    if (rows === 0) return false;
    const frame = rowAt(t, time);
    const next = Math.min(frame + 1, rows - 1);
    const span = t[next]! - t[frame]!;
    const share = span > 0 ? Math.min(1, Math.max(0, (time - t[frame]!) / span)) : 0;
    overlays.poseLinks(this.scene, frame, next, share, this.links);
    this.moveWithRobot(frame);
    for (const { id, on } of this.layers) {
      const layer = this.drawn.get(id);
      if (layer === undefined) continue;
      layer.object.visible = on;
      layer.shown?.(on);
      if (on) layer.update(frame, time, this.links);
    }
    this.ground.update(this.controls.target, 9 * this.size);
    this.renderer.render(this.world, this.camera);
    this.dirty = false;
    return true;
  }

  /** Draws again at the next turn. */
  redraw(): void {
    this.dirty = true;
  }

  /** What is seen at a place of the window, by `wanted`; nothing there: null. */
  pick(x: number, y: number, wanted: (object: THREE.Object3D) => boolean): THREE.Object3D | null {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const objects: THREE.Object3D[] = [];
    this.robot.traverseVisible((object) => wanted(object) && objects.push(object));
    return ray.intersectObjects(objects, false)[0]?.object ?? null;
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }
  get robotSize(): number {
    return this.size;
  }

  get drawCalls(): number {
    return this.renderer.info.render.calls;
  }
}
