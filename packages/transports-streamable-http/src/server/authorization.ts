import {
  denialHeaders,
  findDenied,
  isDenial,
  isPostponement,
  postponementHeaders,
  type Authorize,
  type Denial,
  type HeaderFields,
} from "@tenon/http/server";
import { isBatch, type Incoming, type RequestId, type Response } from "@tenon/jsonrpc2/core";
import { transportHint } from "@tenon/jsonrpc2/transport";
import type { AuthInfo } from "@tenon/protocol";
import { canonicalMessage } from "@tenon/uri-template/canonical-parts";

import type { Call } from "./call.ts";
import { refusal, refuse } from "./refusal.ts";
import type { RequestInfo } from "./request-info.ts";

/** The head of a response that denies: 403 with a challenge, or 429 with the time to wait. */
export interface DeniedHead {
  readonly status: number;
  readonly headers: HeaderFields;
}

/**
 * Calls `authorize` for the messages of a POST, with canonical URIs of resources, and responds with
 * 403 if it rejects one of them. Then no message of the batch runs.
 *
 * @returns Whether the POST was rejected.
 * @throws The error that `authorize` throws; `TypeError` for a return value that is not valid.
 * @source
 */
export function refuseDenied(
  authorize: Authorize<AuthInfo>,
  incoming: Incoming,
  { exchange, headers, info }: Call,
): boolean {
  const messages = isBatch(incoming) ? incoming.batch : [incoming];
  const denied = findDenied(authorize, messages.map(canonicalMessage), info);
  if (denied === undefined) {
    return false;
  }
  const id: RequestId | null = "method" in incoming && "id" in incoming ? incoming.id : null;
  refuse(exchange, refusal(403, denied.message), { ...headers, ...denied.headers }, id);
  return true;
}

/**
 * The head for a response whose handler has detected that the sender lacks scopes or sends too
 * much; `undefined` for any other response.
 */
export function deniedHead(response: Response, { auth }: RequestInfo): DeniedHead | undefined {
  const hint: unknown = "error" in response ? response.error[transportHint] : undefined;
  if (isDenial(hint)) {
    return { status: 403, headers: denialHeaders(hint satisfies Denial, auth) };
  }
  return isPostponement(hint) ? { status: 429, headers: postponementHeaders(hint) } : undefined;
}
