/** How much of the picture is drawn while it moves: as many edges as a frame has time for, the strongest of them. */

const FRAME = 16; // milliseconds that a frame may take
const LEAST = 0.02; // the smallest share of edges
const FIRST = 1500; // edges in the first frame of the first movement
const REST = 200; // milliseconds without movement after which everything is drawn again

export class Movement {
  private allowed: number | null = null;
  private timer = 0;

  /** `draw` draws everything; `edges` says how many there are. */
  constructor(
    private readonly edges: () => number,
    private readonly draw: () => void,
  ) {}

  get moves(): boolean {
    return this.timer !== 0;
  }

  /** The share of edges that the next frame draws. */
  get share(): number {
    if (!this.moves) return 1;
    this.allowed ??= Math.min(1, FIRST / Math.max(this.edges(), 1));
    return this.allowed;
  }

  /** The camera or the nodes have moved. */
  moved(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.draw();
    }, REST) as unknown as number;
  }

  /** A frame has been drawn whose drawing began at a time: how long it takes says how much the next one has. */
  drawn(begin: number): void {
    if (!this.moves) return;
    const share = this.share;
    requestAnimationFrame(() => {
      const factor = Math.min(1.25, Math.max(0.5, FRAME / (performance.now() - begin)));
      this.allowed = Math.min(1, Math.max(LEAST, share * factor));
    });
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
