import { failure, type Setting } from "../setting.ts";
import { isSubset, lacking } from "./scopes.ts";

/** The cause of an authorization with further scopes. */
export interface StepUpCause {
  /** Identifies the request. */
  readonly operation: object;
  /** The scopes that it requires. */
  readonly scopes: readonly string[];
}

/** Bounds the authorizations that a server can cause by its challenges. */
export interface StepUpBounds {
  /**
   * @throws `AuthError` `SCOPE_DENIED` if these scopes were refused before, or if the server or
   *   this operation has caused too many authorizations.
   */
  check(required: readonly string[], granted: readonly string[], cause?: StepUpCause): void;
  /** Counts an authorization that a challenge has caused. */
  count(cause?: StepUpCause): void;
  /** Remembers scopes that an authorization did not grant. */
  deny(required: readonly string[]): void;
  /** Forgets everything, because the user has logged in. */
  reset(): void;
}

/** How long authorizations and denials are remembered, in milliseconds. */
const memoryMs = 600_000;
const maxAuthorizations = 3;
/** Requests for the same scopes are one operation. */
const maxPerOperation = 2;
const maxDenied = 64;

/** Creates {@link StepUpBounds}. @source R-757 */
export function createStepUpBounds(setting: Setting): StepUpBounds {
  let authorized: readonly { readonly scopes: readonly string[]; readonly at: number }[] = [];
  let denied: typeof authorized = [];
  let byOperation = new WeakMap<object, number>();
  const isRecent = ({ at }: { readonly at: number }): boolean => setting.clock.now() - at < memoryMs;

  /**
   * How many authorizations a request has caused, or the requests that required the same scopes.
   */
  function countOf({ operation, scopes }: StepUpCause): number {
    const same = authorized.filter(
      (one) => scopes.length > 0 && isSubset(scopes, one.scopes) && isSubset(one.scopes, scopes),
    );
    return Math.max(same.length, byOperation.get(operation) ?? 0);
  }

  return {
    check(required, granted, cause) {
      authorized = authorized.filter(isRecent);
      denied = denied.filter(isRecent);
      const wasDenied = denied.some(({ scopes }) => isSubset(scopes, required));
      const own = cause === undefined ? 0 : countOf(cause);
      if (wasDenied || own >= maxPerOperation || authorized.length >= maxAuthorizations) {
        throw failure(
          setting,
          "SCOPE_DENIED",
          wasDenied
            ? `The authorization server did not grant scopes that the operation requires: ${lacking(required, granted)}. Ask the user for other rights, then call login().`
            : "The MCP server has demanded too many authorizations within 10 minutes. No more are started until login() is called.",
          { required, granted },
        );
      }
    },
    count(cause) {
      authorized = [...authorized, { scopes: cause?.scopes ?? [], at: setting.clock.now() }];
      if (cause !== undefined) {
        byOperation.set(cause.operation, (byOperation.get(cause.operation) ?? 0) + 1);
      }
    },
    deny(scopes) {
      denied = [...denied.slice(1 - maxDenied), { scopes, at: setting.clock.now() }];
    },
    reset() {
      authorized = [];
      denied = [];
      byOperation = new WeakMap();
    },
  };
}
