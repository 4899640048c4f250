import { isSubset } from "./scopes.ts";
import { failure, type Setting } from "./setting.ts";

/** Bounds the authorizations that a server can cause by its challenges. */
export interface StepUpBounds {
  /** @throws `AuthError` `SCOPE_DENIED` if these scopes were refused before, or if the server has caused too many authorizations. */
  check(required: readonly string[], granted: readonly string[]): void;
  /** Counts an authorization that a challenge has caused. */
  count(): void;
  /** Remembers scopes that an authorization did not grant. */
  deny(required: readonly string[]): void;
  /** Forgets everything, because the user has logged in. */
  reset(): void;
}

/** How long authorizations and denials are remembered, in milliseconds. */
const memoryMs = 600_000;
const maxAuthorizations = 3;
const maxDenied = 64;

/** Creates {@link StepUpBounds}. @source R-757 */
export function createStepUpBounds(setting: Setting): StepUpBounds {
  let authorized: readonly number[] = [];
  let denied: readonly { readonly scopes: readonly string[]; readonly at: number }[] = [];
  const isRecent = (at: number): boolean => setting.clock.now() - at < memoryMs;
  return {
    check(required, granted) {
      authorized = authorized.filter(isRecent);
      denied = denied.filter(({ at }) => isRecent(at));
      const wasDenied = denied.some(({ scopes }) => isSubset(scopes, required));
      if (wasDenied || authorized.length >= maxAuthorizations) {
        throw failure(
          setting,
          "SCOPE_DENIED",
          wasDenied
            ? "The operation requires scopes that were requested and not granted. Ask the user for other rights, then call login()."
            : `The MCP server has demanded ${authorized.length} authorizations within ${memoryMs / 60_000} minutes. No more are started until login() is called.`,
          { required, granted },
        );
      }
    },
    count() {
      authorized = [...authorized, setting.clock.now()];
    },
    deny(scopes) {
      denied = [...denied.slice(1 - maxDenied), { scopes, at: setting.clock.now() }];
    },
    reset() {
      authorized = [];
      denied = [];
    },
  };
}
