/** The number of lanes that are drawn. Requests beyond them have none. */
export const maxLanes = 12;

/** Assigns lanes to open requests: the lowest free one. */
export interface Lanes {
  /** The lanes that are taken, as bits. */
  readonly taken: number;
  /** A free lane, or `undefined` if all are taken. */
  take(): number | undefined;
  free(lane: number | undefined): void;
}

/** Creates lanes, all of them free. */
export function createLanes(): Lanes {
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    take() {
      for (let lane = 0; lane < maxLanes; lane++) {
        if ((taken & (1 << lane)) === 0) {
          taken |= 1 << lane;
          return lane;
        }
      }
      return undefined;
    },
    free(lane) {
      if (lane !== undefined) {
        taken &= ~(1 << lane);
      }
    },
  };
}
