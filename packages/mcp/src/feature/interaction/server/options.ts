import type { ResolvedLimits } from "@tenon/base";

import { checkedIdentity } from "../../../base/identity.ts";
import type { InteractionService, StateKeys } from "../../../request/server/interaction.ts";
import type { ServerLimits } from "../../../request/server/limits.ts";
import type { ServerRequest } from "../../../request/server/request.ts";
import { checkStateKeys } from "./by-results/state-key.ts";

/**
 * Options for requesting input from modern clients, where the state of a handler is sent to the
 * client and back in `requestState`.
 */
export interface InteractionOptions {
  /**
   * The secrets that encrypt `requestState`, newest first: the first encrypts, all of them decrypt.
   * Every process that may receive the next round needs the same secrets. A function, such as the
   * result of `shareStateKeys` of `@tenon/stores`, is called for every state; if it rejects, the
   * request fails and the error is passed to `onError`. By default each process generates a random
   * key, which works for a single process only: all servers of the same name in it share the key.
   */
  readonly stateKeys?: StateKeys | undefined;
  /**
   * Returns who sends a request, from verified credentials: a string, or `undefined` for anonymous
   * requests. State that was encrypted for one principal is rejected from another. Must not be
   * async: any other value, including a promise, fails the request and is reported to `onError`. If
   * it throws an error, the request fails with it. By default the principal of `context.auth`, if
   * the transport sets it.
   *
   * @source
   */
  readonly principal?: ((request: ServerRequest) => string | undefined) | undefined;
  /**
   * Allows `inputRequired({ requestState, sealed: false })`, whose string the client can read and
   * change. The received string is in `context.unsealedState`, unverified. Default: `false`, which
   * rejects every state that is not encrypted.
   */
  readonly allowUnsealedState?: boolean | undefined;
}

/** Fills in the defaults. @throws `McpError` `INVALID_DEFINITION` for a bad key. */
export function interactionService(
  options: InteractionOptions,
  limits: ResolvedLimits<ServerLimits>,
  onError: (error: unknown) => void,
  serverName: string,
): InteractionService {
  if (typeof options.stateKeys !== "function") {
    checkStateKeys(options.stateKeys);
  }
  return {
    limits,
    stateKeys: options.stateKeys,
    serverName,
    principal: principalBy(options.principal),
    allowUnsealedState: options.allowUnsealedState ?? false,
    onError,
  };
}

function principalBy(principal: InteractionOptions["principal"]): InteractionService["principal"] {
  return principal === undefined
    ? ({ auth }) => checkedIdentity("auth.principal", auth?.principal)
    : (request) => checkedIdentity("interaction.principal", principal(request));
}
