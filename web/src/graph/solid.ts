/** The picture in three dimensions: three.js draws it, d3-force-3d lays it out. Its tooltips are the page's own. */

import { forceCenter, forceLink, forceManyBody, forceSimulation } from "d3-force-3d";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  LineBasicMaterial,
  LineSegments,
  MathUtils,
  PerspectiveCamera,
  Points,
  Scene as World,
  ShaderMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { ACCENT, edgeColour, ink, nodeColour } from "./colours";
import type { Marks, Pointed, Scene } from "./flat";
import type { Model } from "./model";
import { Movement } from "./movement";

const BEFOREHAND = 40; // steps of the layout before the first picture
const PATIENCE = 200; // milliseconds that they may take
const FIELD = 50; // degrees that the camera sees

/** Nodes are points with the light of a ball on them: without a graphics card, balls of triangles take seconds. */
const BALLS = {
  vertexShader: `
attribute float size;
attribute vec3 tint;
uniform float scale;
varying vec3 shade;
void main() {
  shade = tint;
  vec4 place = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * place;
  gl_PointSize = max(size * scale / -place.z, 3.0);
}`,
  fragmentShader: `
varying vec3 shade;
void main() {
  vec2 at = gl_PointCoord * 2.0 - 1.0;
  float far = dot(at, at);
  if (far > 1.0) discard;
  gl_FragColor = vec4(shade * (0.75 + 0.35 * dot(vec3(at.x, -at.y, sqrt(1.0 - far)), vec3(0.27, 0.53, 0.8))), 1.0);
  #include <colorspace_fragment>
}`,
};

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
  const camera = new PerspectiveCamera(FIELD, 1, 1, 20000);
  camera.position.set(0, 0, 500);
  const controls = new OrbitControls(camera, renderer.domElement);
  let bodies: Body[] = [];
  /** The ends of edges, the strongest first. */
  let pairs: [Body, Body][] = [];
  const balls = new Points(new BufferGeometry(), new ShaderMaterial({ ...BALLS, uniforms: { scale: { value: 1 } } }));
  const lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true }));
  balls.frustumCulled = lines.frustumCulled = false;
  world.add(lines, balls);
  let simulation: ReturnType<typeof forceSimulation<Body>> | null = null;
  let frame = 0;
  let built = -1;
  let isDrawn = false;
  const movement: Movement = new Movement(() => pairs.length, () => (isDrawn = false));
  controls.addEventListener("change", () => {
    isDrawn = false;
    movement.moved();
  });

  function build(): void {
    const before = new Map(bodies.map((each) => [each.id, each]));
    bodies = model.nodes().map((id, number) => {
      const at = model.graph.getNodeAttributes(id);
      return before.get(id) ?? { id, x: at.x, y: at.y, z: ((number * 37) % 41) - 20 };
    });
    const known = new Map(bodies.map((each) => [each.id, each]));
    const edges = model.edges().map((key) => model.graph.getEdgeAttributes(key));
    edges.sort((one, other) => other.weight - one.weight);
    const colours: number[] = [];
    pairs = [];
    for (const { source, target, kind } of edges) {
      const [from, to] = [known.get(source), known.get(target)];
      if (from === undefined || to === undefined) continue;
      const { r, g, b } = new Color(edgeColour(kind));
      colours.push(r, g, b, r, g, b);
      pairs.push([from, to]);
    }
    lines.geometry.dispose();
    lines.geometry = new BufferGeometry();
    lines.geometry.setAttribute("position", attribute(pairs.length * 2, 3));
    lines.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    balls.geometry.dispose();
    balls.geometry = new BufferGeometry();
    balls.geometry.setAttribute("position", attribute(bodies.length, 3));
    balls.geometry.setAttribute("tint", attribute(bodies.length, 3));
    balls.geometry.setAttribute("size", attribute(bodies.length, 1));
    simulation?.stop();
    simulation = forceSimulation<Body>(bodies, 3)
      .force("charge", forceManyBody<Body>().strength(-60))
      .force("link", forceLink<Body>(pairs.map(([source, target]) => ({ source, target }))).distance(30))
      .force("centre", forceCenter())
      .stop();
    const end = performance.now() + PATIENCE;
    for (let step = 0; step < BEFOREHAND && performance.now() < end; step += 1) simulation.tick();
    built = model.changes;
  }

  function dress(): void {
    const { selected, found, path } = marks();
    const tints = balls.geometry.getAttribute("tint") as BufferAttribute;
    const sizes = balls.geometry.getAttribute("size") as BufferAttribute;
    bodies.forEach(({ id }, number) => {
      const at = model.graph.hasNode(id) ? model.graph.getNodeAttributes(id) : null;
      const isMarked = id === selected || found.has(id) || path.has(id);
      const { r, g, b } = new Color(isMarked || at?.fresh ? ACCENT : nodeColour(at?.kind ?? ""));
      tints.setXYZ(number, r, g, b);
      sizes.setX(number, (at?.size ?? 5) * (isMarked ? 1.2 : 0.8));
    });
    tints.needsUpdate = sizes.needsUpdate = true;
    isDrawn = false;
  }

  function arrange(): void {
    const places = balls.geometry.getAttribute("position") as BufferAttribute;
    bodies.forEach(({ x, y, z }, number) => places.setXYZ(number, x, y, z));
    const ends = lines.geometry.getAttribute("position") as BufferAttribute;
    pairs.forEach(([from, to], number) => {
      ends.setXYZ(number * 2, from.x, from.y, from.z);
      ends.setXYZ(number * 2 + 1, to.x, to.y, to.z);
    });
    places.needsUpdate = ends.needsUpdate = true;
    isDrawn = false;
  }

  function draw(): void {
    frame = requestAnimationFrame(draw);
    const begin = performance.now();
    if (simulation !== null && !paused() && simulation.alpha() > simulation.alphaMin()) {
      simulation.tick();
      arrange();
      movement.moved();
    }
    controls.update();
    if (isDrawn) return;
    isDrawn = true;
    lines.geometry.setDrawRange(0, 2 * Math.ceil(pairs.length * movement.share));
    renderer.render(world, camera);
    movement.drawn(begin);
  }

  /** Twice the pixels that one unit has at the distance of one unit from the camera. */
  const scale = () => renderer.domElement.height / Math.tan(MathUtils.degToRad(FIELD / 2));

  /** The node in front of all others at a place of the picture. */
  function under(event: MouseEvent): string | null {
    const box = renderer.domElement.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const at = new Vector3();
    let best: string | null = null;
    let nearest = Infinity;
    for (const { id, x: east, y: north, z } of bodies) {
      const depth = -at.set(east, north, z).applyMatrix4(camera.matrixWorldInverse).z;
      if (depth < camera.near || depth >= nearest) continue;
      at.applyMatrix4(camera.projectionMatrix);
      const far = Math.hypot(((at.x + 1) / 2) * box.width - x, ((1 - at.y) / 2) * box.height - y);
      const size = model.graph.hasNode(id) ? model.graph.getNodeAttribute(id, "size") : 0;
      if (far <= Math.max(4, (size * 0.8 * scale()) / depth / 2)) [best, nearest] = [id, depth];
    }
    return best;
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
    balls.material.uniforms["scale"] = { value: scale() };
    isDrawn = false;
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
  arrange();
  fit();
  draw();
  return {
    refresh() {
      const isNew = built !== model.changes;
      if (isNew) build();
      dress();
      if (isNew) arrange();
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
      movement.close();
      for (const each of [balls, lines]) {
        each.geometry.dispose();
        each.material.dispose();
      }
      renderer.dispose();
      renderer.domElement.remove();
    },
  };
}

function attribute(count: number, size: number): BufferAttribute {
  return new BufferAttribute(new Float32Array(count * size), size).setUsage(DynamicDrawUsage);
}
