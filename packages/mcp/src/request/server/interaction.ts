import type { InputResponses } from "@tenon/protocol";

import type { Input, InputOptions } from "../input.ts";

/** Requests input from the client on behalf of one request. */
export interface Interaction {
  /** Asks. The promise may be ignored: its rejection is never unhandled. */
  ask<T>(input: Input<T>, options: InputOptions): Promise<T>;
  /** Runs something once for the request, however often its handler runs. */
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>;
  /** The responses to the last `inputRequired`, as received. */
  readonly responses: InputResponses | undefined;
  /** The state that was given to the last `inputRequired`. */
  readonly userState: unknown;
  /** The state of the last `inputRequired` with `sealed: false`. */
  readonly unsealedState: string | undefined;
  /** The result that replaces the handler's result after the run was suspended or has failed. */
  readonly outcome: Promise<object> | undefined;
  /**
   * The result for the handler's return value, if the run was not suspended before. From then on no
   * input can be requested.
   */
  conclude(returned: unknown): unknown;
}
