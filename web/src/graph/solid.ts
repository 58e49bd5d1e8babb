/** The picture in three dimensions: three.js draws it, d3-force-3d lays it out. Its tooltips are the page's own. */

import { forceCenter, forceLink, forceManyBody, forceSimulation } from "d3-force-3d";
import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DynamicDrawUsage,
  IcosahedronGeometry,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshLambertMaterial,
  PerspectiveCamera,
  Raycaster,
  Scene as World,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { ACCENT, edgeColour, ink, nodeColour } from "./colours";
import type { Marks, Pointed, Scene } from "./flat";
import type { Model } from "./model";

const BEFOREHAND = 40; // steps of the layout before the first picture

interface Body {
  id: string;
  x: number;
  y: number;
  z: number;
}

export function solidScene(
  place: HTMLElement,
  model: Model,
  marks: () => Marks,
  paused: () => boolean,
  on: { click(id: string): void; point(at: Pointed | null): void },
): Scene {
  const renderer = new WebGLRenderer({ antialias: false, alpha: false, preserveDrawingBuffer: true });
  renderer.domElement.setAttribute("aria-hidden", "true");
  place.append(renderer.domElement);
  const world = new World();
  world.background = new Color(ink("--paper") || "#ffffff");
  world.add(new AmbientLight(0xffffff, 2));
  const sun = new DirectionalLight(0xffffff, 1.5);
  sun.position.set(1, 2, 3);
  world.add(sun);
  const camera = new PerspectiveCamera(50, 1, 1, 20000);
  camera.position.set(0, 0, 500);
  const controls = new OrbitControls(camera, renderer.domElement);
  let bodies: Body[] = [];
  let pairs: [Body, Body][] = [];
  let spheres: InstancedMesh | null = null;
  let lines: LineSegments | null = null;
  let simulation: ReturnType<typeof forceSimulation<Body>> | null = null;
  let frame = 0;
  let built = -1;
  const matrix = new Matrix4();

  function clear(): void {
    for (const each of [spheres, lines]) {
      if (each === null) continue;
      world.remove(each);
      each.geometry.dispose();
      (each.material as MeshLambertMaterial | LineBasicMaterial).dispose();
    }
  }

  function build(): void {
    const before = new Map(bodies.map((each) => [each.id, each]));
    bodies = model.nodes().map((id, number) => {
      const at = model.graph.getNodeAttributes(id);
      return before.get(id) ?? { id, x: at.x, y: at.y, z: ((number * 37) % 41) - 20 };
    });
    const known = new Map(bodies.map((each) => [each.id, each]));
    const keys = model.edges();
    pairs = keys.flatMap((key) => {
      const [source, target] = [known.get(model.graph.source(key)), known.get(model.graph.target(key))];
      return source && target ? [[source, target] as [Body, Body]] : [];
    });
    clear();
    spheres = new InstancedMesh(new IcosahedronGeometry(1, 2), new MeshLambertMaterial(), Math.max(bodies.length, 1));
    spheres.count = bodies.length;
    spheres.frustumCulled = false;
    const positions = new BufferAttribute(new Float32Array(pairs.length * 6), 3).setUsage(DynamicDrawUsage);
    const colours = new BufferAttribute(new Float32Array(pairs.length * 6), 3);
    const geometry = new BufferGeometry().setAttribute("position", positions).setAttribute("color", colours);
    lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.7 }));
    lines.frustumCulled = false;
    keys.forEach((key, number) => {
      const colour = new Color(edgeColour(model.graph.getEdgeAttribute(key, "kind")));
      for (const end of [0, 1]) colours.setXYZ(number * 2 + end, colour.r, colour.g, colour.b);
    });
    world.add(spheres, lines);
    simulation?.stop();
    simulation = forceSimulation<Body>(bodies, 3)
      .force("charge", forceManyBody<Body>().strength(-60))
      .force("link", forceLink<Body>(pairs.map(([source, target]) => ({ source, target }))).distance(30))
      .force("centre", forceCenter())
      .stop();
    simulation.tick(BEFOREHAND);
    built = model.changes;
  }

  function dress(): void {
    const { selected, found, path } = marks();
    bodies.forEach((body, number) => {
      const at = model.graph.hasNode(body.id) ? model.graph.getNodeAttributes(body.id) : null;
      const isMarked = body.id === selected || found.has(body.id) || path.has(body.id);
      const size = (at?.size ?? 5) * (isMarked ? 1.2 : 0.8);
      matrix.makeScale(size, size, size).setPosition(body.x, body.y, body.z);
      spheres?.setMatrixAt(number, matrix);
      spheres?.setColorAt(number, new Color(isMarked || at?.fresh ? ACCENT : nodeColour(at?.kind ?? "")));
    });
    if (spheres) {
      spheres.instanceMatrix.needsUpdate = true;
      if (spheres.instanceColor) spheres.instanceColor.needsUpdate = true;
      spheres.computeBoundingSphere();
    }
    const positions = lines?.geometry.getAttribute("position") as BufferAttribute | undefined;
    pairs.forEach(([from, to], number) => {
      positions?.setXYZ(number * 2, from.x, from.y, from.z);
      positions?.setXYZ(number * 2 + 1, to.x, to.y, to.z);
    });
    if (positions) positions.needsUpdate = true;
  }

  function draw(): void {
    frame = requestAnimationFrame(draw);
    if (simulation !== null && !paused() && simulation.alpha() > simulation.alphaMin()) {
      simulation.tick();
      dress();
    }
    controls.update();
    renderer.render(world, camera);
  }

  const ray = new Raycaster();
  function under(event: MouseEvent): string | null {
    const box = renderer.domElement.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    ray.setFromCamera(new Vector2(x, y), camera);
    const hit = spheres === null ? undefined : ray.intersectObject(spheres)[0];
    return hit?.instanceId === undefined ? null : (bodies[hit.instanceId]?.id ?? null);
  }
  let pressed = { x: 0, y: 0 };
  renderer.domElement.addEventListener("pointerdown", (event) => (pressed = { x: event.clientX, y: event.clientY }));
  renderer.domElement.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
    const id = under(event);
    if (id !== null) on.click(id);
  });
  renderer.domElement.addEventListener("pointermove", (event) => {
    const node = event.buttons === 0 ? under(event) : null;
    on.point(node === null ? null : { node, x: event.offsetX, y: event.offsetY });
  });
  renderer.domElement.addEventListener("pointerleave", () => on.point(null));

  function resize(): void {
    const { clientWidth, clientHeight } = place;
    renderer.setSize(clientWidth, clientHeight);
    camera.aspect = clientWidth / Math.max(clientHeight, 1);
    camera.updateProjectionMatrix();
  }
  const observer = new ResizeObserver(resize);
  observer.observe(place);
  resize();

  function fit(): void {
    const radius = bodies.reduce((most, { x, y, z }) => Math.max(most, Math.hypot(x, y, z)), 50);
    controls.target.set(0, 0, 0);
    camera.position.copy(new Vector3(0, 0, radius * 2.6));
  }
  build();
  dress();
  fit();
  draw();
  return {
    refresh() {
      if (built !== model.changes) build();
      dress();
    },
    moved: () => undefined, // it has a layout of its own
    fit,
    zoom: (factor) => void camera.position.sub(controls.target).divideScalar(factor).add(controls.target),
    centre(id) {
      const body = bodies.find((each) => each.id === id);
      if (!body) return;
      controls.target.set(body.x, body.y, body.z);
      camera.position.set(body.x, body.y, body.z + 150);
    },
    image() {
      renderer.render(world, camera);
      return new Promise((resolve) => renderer.domElement.toBlob(resolve, "image/png"));
    },
    close() {
      cancelAnimationFrame(frame);
      simulation?.stop();
      observer.disconnect();
      controls.dispose();
      clear();
      renderer.dispose();
      renderer.domElement.remove();
    },
  };
}
