import type { Authorization, RequestId } from "@tenon/jsonrpc2";
import type { IdTable } from "@tenon/jsonrpc2/transport";
import type { ClientCapabilities } from "@tenon/protocol";

import type { InnerClientRequest } from "../../request/client/request.ts";
import type { Negotiated } from "../../request/client/session.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/** The progress tokens of running requests, and their requests. */
export type ProgressTokens = IdTable<RequestId>;

/** The result of the negotiation with a server. */
export interface Agreement {
  readonly negotiated: Negotiated;
  readonly rules: RevisionRules;
  /** The `_meta` of every request (modern era). */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** The capabilities that the client has declared to the server. */
  readonly declared: ClientCapabilities;
  /** The credentials of the transport. */
  readonly authorization: Authorization | undefined;
  /** Handles what a server asks inside of a result. */
  receive(request: InnerClientRequest): unknown;
}
