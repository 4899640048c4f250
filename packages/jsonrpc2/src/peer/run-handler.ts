import { isThenable } from "@tenon/base";

import type { Handler, Scope } from "./handler.ts";

/** Receives the outcome of a handler. */
export interface Outcome<S> {
  succeed(scope: S, value: unknown): void;
  fail(scope: S, error: unknown): void;
}

/**
 * Runs a handler. If it returns or throws synchronously, the outcome is reported before this
 * function returns.
 */
export function runHandler<S extends Scope>(handler: Handler, scope: S, outcome: Outcome<S>): void {
  try {
    const result = handler(scope);
    if (isThenable(result)) {
      result.then(
        (value) => outcome.succeed(scope, value),
        (error: unknown) => outcome.fail(scope, error),
      );
    } else {
      outcome.succeed(scope, result);
    }
  } catch (error) {
    outcome.fail(scope, error);
  }
}
