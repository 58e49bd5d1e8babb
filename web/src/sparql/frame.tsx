/** The part of a drawing that is seen: buttons change its size, a pointer moves it. */

import { useEffect, useState } from "preact/hooks";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Frame {
  box: Box;
  setBox: (box: Box) => void;
  buttons: preact.JSX.Element;
  /** What the drawing listens to. */
  pointer: preact.JSX.SVGAttributes<SVGSVGElement>;
}

export function useFrame(whole: Box): Frame {
  const [box, setBox] = useState(whole);
  const [held, setHeld] = useState<{ x: number; y: number } | null>(null);
  useEffect(() => setBox(whole), [whole]);
  const zoom = (factor: number) =>
    setBox(({ x, y, width, height }) => ({
      x: x + (width * (1 - factor)) / 2,
      y: y + (height * (1 - factor)) / 2,
      width: width * factor,
      height: height * factor,
    }));
  const move = (event: preact.TargetedPointerEvent<SVGSVGElement>) => {
    if (held === null) return;
    const scale = box.width / event.currentTarget.clientWidth;
    setBox((now) => ({ ...now, x: now.x - (event.clientX - held.x) * scale, y: now.y - (event.clientY - held.y) * scale }));
    setHeld({ x: event.clientX, y: event.clientY });
  };
  const buttons = (
    <div class="row">
      <button type="button" class="small" aria-label="Closer" onClick={() => zoom(0.75)}>
        +
      </button>
      <button type="button" class="small" aria-label="Farther" onClick={() => zoom(1 / 0.75)}>
        −
      </button>
      <button type="button" class="small" onClick={() => setBox(whole)}>
        All
      </button>
    </div>
  );
  const pointer = {
    onPointerDown: (event: preact.TargetedPointerEvent<SVGSVGElement>) => setHeld({ x: event.clientX, y: event.clientY }),
    onPointerMove: move,
    onPointerUp: () => setHeld(null),
    onPointerLeave: () => setHeld(null),
  };
  return { box, setBox, buttons, pointer };
}
