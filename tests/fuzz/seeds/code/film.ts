export interface Film { year: number; play(): void }
/** Plays it. */
export const play = (film: Film) => film.play();
export class Reel { spin() { return 1 } }
