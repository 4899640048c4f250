import { isRecord } from "@tenon/base";
import { canonicalJson } from "@tenon/base/canonical-json";
import { ErrorCode, LocalError, RpcError } from "@tenon/jsonrpc2/core";
import type { InputResponses } from "@tenon/protocol";

import { McpError } from "../../../../base/error.ts";
import type { InteractionService } from "../../../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../../../request/server/request.ts";
import { createSealer, type Opened, type Sealer } from "./seal.ts";
import { decodeState, emptyState, withResponses, type InteractionState } from "./state.ts";

/** The state that a request carries from its earlier rounds. */
export interface Resumed {
  readonly state: InteractionState;
  readonly responses: InputResponses | undefined;
  readonly unsealed: string | undefined;
}

/** The beginning. */
export const firstRound: Resumed = { state: emptyState, responses: undefined, unsealed: undefined };

const sealers = new WeakMap<InteractionService, Sealer>();
/** Encrypts by the random key of this process, for all servers without keys of their own. */
let ofProcess: Sealer | undefined;

/** Encrypts the states of a server; created when it is first needed. */
export function sealerOf(service: InteractionService): Sealer {
  const { stateKeys } = service;
  if (stateKeys === undefined) {
    return (ofProcess ??= createSealer());
  }
  let sealer = sealers.get(service);
  if (sealer === undefined) {
    sealer = createSealer(stateKeys);
    sealers.set(service, sealer);
  }
  return sealer;
}

/**
 * The context that a state is bound to: the principal, the method and the params without responses
 * and `_meta`. The key of the process is shared by servers that may have nothing to do with each
 * other, so their names are part of it.
 *
 * @source R-653
 */
export function contextOf(request: InnerServerRequest, service: InteractionService): string {
  const { _meta, inputResponses: _, requestState: __, ...salient } = request.params;
  const bound = [service.principal(request) ?? null, request.method, salient];
  return canonicalJson(service.stateKeys === undefined ? [...bound, service.serverName] : bound);
}

/**
 * Reads `requestState` and `inputResponses` of the next round. Rejects every state that the client
 * has changed.
 *
 * @throws `RpcError` `-32602` for state that is malformed, changed, expired, too large or made for
 *   another request, and for malformed responses.
 * @source R-652
 */
export async function resume(request: InnerServerRequest, service: InteractionService): Promise<Resumed> {
  // null is treated as absent.
  const requestState = request.params["requestState"] ?? undefined;
  const inputResponses = request.params["inputResponses"] ?? undefined;
  if (inputResponses !== undefined && !isRecord(inputResponses)) {
    throw new RpcError(ErrorCode.InvalidParams, "inputResponses must be an object");
  }
  const responses = inputResponses as InputResponses | undefined;
  if (requestState === undefined) {
    return { ...firstRound, responses };
  }
  if (typeof requestState !== "string" || requestState.length > service.limits.maxStateBytes) {
    throw new RpcError(
      ErrorCode.InvalidParams,
      `requestState must be a string of at most ${service.limits.maxStateBytes} bytes`,
    );
  }
  const opened = await sealerOf(service).open(requestState, contextOf(request, service));
  if ("refused" in opened) {
    if (opened.refused === "malformed" && service.allowUnsealedState) {
      return { state: emptyState, responses, unsealed: requestState };
    }
    report(service, opened);
    throw refusedState("state-refused", "requestState is not valid for this request");
  }
  const state = decodeState(opened.text, Date.now());
  if (state === undefined) {
    throw refusedState("state-expired", "requestState has expired");
  }
  return { state: withResponses(state, responses ?? {}), responses, unsealed: undefined };
}

const reported = new WeakMap<InteractionService, Set<string>>();

/**
 * Reports a state that did not open to the operator: once per key of the server, because clients
 * can send as many as they like.
 */
function report(service: InteractionService, opened: Exclude<Opened, { readonly text: string }>): void {
  if (opened.refused === "malformed") {
    return;
  }
  const known = reported.get(service) ?? new Set();
  reported.set(service, known);
  // No id of a key is empty: clients make up the ids of unknown keys.
  const subject = opened.refused === "tampered" ? opened.key : "";
  if (known.has(subject)) {
    return;
  }
  known.add(subject);
  service.onError(
    subject === ""
      ? new McpError(
          "UNKNOWN_STATE_KEY",
          "A requestState was sealed by a key that this server does not have. If several processes serve the same clients, or the process was restarted, give all of them the same stateKeys.",
        )
      : new McpError(
          "STATE_REFUSED",
          `A requestState under key ${JSON.stringify(subject)} could not be opened. Either another process has a different secret under this id, or the client changed the state or sent it with a different request or principal. Further ones under this key are not reported.`,
        ),
  );
}

const changesReported = new WeakSet<InteractionService>();

/**
 * The error for the response to an input request that this run of the handler makes differently.
 * The client's user cannot correct that, so it is also reported to the operator: only once,
 * because clients can send a state as often as they like.
 */
export function changed(key: string, method: string, service: InteractionService): RpcError {
  const what = `Input request ${JSON.stringify(key)} has changed since the previous round`;
  if (!changesReported.has(service)) {
    changesReported.add(service);
    const advice = "Give it a `key`, or take what varies from `ctx.step`.";
    service.onError(new LocalError("INVALID_STATE", `${method}: ${what}. ${advice}`));
  }
  return refusedState("input-changed", what);
}

/**
 * The refusal of a round. The handler has run at least once, so clients must not repeat the request
 * automatically.
 */
function refusedState(reason: string, what: string): RpcError {
  return new RpcError(
    ErrorCode.InvalidParams,
    `${what}. Earlier rounds of the request may have had effects: check that before you send it again`,
    { data: { reason, delivered: "maybe" } },
  );
}
