import type { Clock, ResolvedLimits } from "@tenon/base";
import { ErrorCode, isRpcError, type Authorization } from "@tenon/jsonrpc2/core";

import { McpError } from "../../base/error.ts";
import { checkedIdentity } from "../../base/identity.ts";
import { isReusable, type CacheableCall, type CacheOptions, type ResponseCache } from "./client/cache.ts";

/** Options of the cache of a client's sessions. */
export interface ClientCaching {
  readonly limits: ResolvedLimits<CacheOptions>;
  readonly clock: Clock;
  /**
   * Returns the account that the client acts for now.
   *
   * @param authorization - The credentials of the session's transport.
   */
  context(authorization: Authorization | undefined): string;
}

/**
 * Sends a request through the cache: returns a fresh result at once, and stores any other result
 * for its `ttlMs`.
 *
 * @param fresh - Send the request even if a fresh result is cached.
 */
export async function askCached<R extends object>(
  cache: ResponseCache,
  call: CacheableCall,
  fresh: boolean,
  ask: () => Promise<R>,
): Promise<R> {
  if (!isReusable(call.params)) {
    return ask();
  }
  const kept = fresh ? undefined : cache.get(call);
  if (kept !== undefined) {
    return kept as R;
  }
  const ticket = cache.begin(call);
  try {
    const result = await ask();
    cache.store(ticket, result);
    return result;
  } catch (error) {
    // A cursor that stopped working: the other pages belong to a list that is no more.
    if (call.params["cursor"] !== undefined && isRpcError(error) && error.code === ErrorCode.InvalidParams) {
      cache.forget(call.method);
    }
    throw error;
  }
}

/**
 * The account that a client acts for, as a function. By default the provider of the transport's
 * credentials knows it.
 *
 * @throws `McpError` `INVALID_DEFINITION` for anything but a string or a function. The function
 *   throws it if the result is not a string.
 */
export function contextBy(given: string | (() => string) | undefined): ClientCaching["context"] {
  if (given === undefined) {
    return (authorization) =>
      checkedIdentity("authorizationContext", authorization?.authorizationContext) ?? "";
  }
  if (typeof given === "string") {
    return () => given;
  }
  if (typeof given !== "function") {
    const message = `authorizationContext must be a string or a function that returns one; got ${typeof given}.`;
    throw new McpError("INVALID_DEFINITION", message);
  }
  return () => {
    const context = checkedIdentity("authorizationContext", given());
    if (context === undefined) {
      throw new McpError("INVALID_DEFINITION", "authorizationContext must return a string; got undefined.");
    }
    return context;
  };
}
