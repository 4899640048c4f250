import type { ResolvedLimits } from "@tenon/base";

import type { TaskClock } from "../clock.ts";
import type { TaskStore } from "../store/contract.ts";
import type { TaskEngineLimits } from "./options.ts";

/** The parts that one engine shares. */
export interface Setting {
  readonly store: TaskStore;
  readonly clock: TaskClock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly limits: ResolvedLimits<TaskEngineLimits>;
  /** Identifies the engine in leases. */
  readonly worker: string;
  readonly onError: (error: unknown) => void;
}
