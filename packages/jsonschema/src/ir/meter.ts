import type { ResolvedLimits } from "../options.ts";

/**
 * Thrown inside an evaluation that hit a limit, as a full stack is by the engine; never leaves the
 * package.
 */
export class LimitReached extends RangeError {
  /** The limit that was hit. */
  readonly limit: "maxInstanceDepth" | "maxSteps";

  constructor(limit: "maxInstanceDepth" | "maxSteps") {
    super(limit);
    this.limit = limit;
  }
}

/** Counts nested and total work of one evaluation. */
export interface Meter {
  depth: number;
  fuel: number;
  /** The number of evaluations that were started. */
  evaluation: number;
  /**
   * Charges for one evaluation of a node on a value; the caller takes `depth` back down when it is
   * left.
   */
  enter(fuel: number, value?: unknown): void;
  /** Charges for work inside a keyword. */
  spend(fuel: number): void;
  /** Starts a new evaluation. */
  reset(): void;
}

/**
 * A meter for these limits. `sizeOf` returns the work that the size of a value adds to each
 * evaluation that is charged for.
 */
export function createMeter(
  { maxInstanceDepth, maxSteps }: ResolvedLimits,
  sizeOf?: (value: unknown) => number,
): Meter {
  return {
    depth: 0,
    fuel: maxSteps,
    evaluation: 0,
    enter(fuel, value) {
      if (++this.depth > maxInstanceDepth) {
        throw new LimitReached("maxInstanceDepth");
      }
      this.spend(sizeOf === undefined ? fuel : fuel + sizeOf(value));
    },
    spend(fuel) {
      if ((this.fuel -= fuel) < 0) {
        throw new LimitReached("maxSteps");
      }
    },
    reset() {
      this.evaluation++;
      this.depth = 0;
      this.fuel = maxSteps;
    },
  };
}
