import type { Clock } from "@tenon/base";
import type { RequestId } from "@tenon/jsonrpc2";

import type { SessionState } from "../../base/state.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { CallOfRequest, NotifyOfRequest } from "../method-types.ts";
import type { ContextExtensionProperties } from "../open.ts";
import type { RequestContext } from "./context.ts";
import type { Interaction, InteractionService } from "./interaction.ts";
import type { InnerServerSession } from "./session.ts";

/** One inbound request or notification of a server, as middleware sees it. */
export interface ServerRequest extends RequestContext {
  /** The JSON-RPC id, `undefined` for a notification. */
  readonly id: RequestId | undefined;
  /** `{}` if there were none. As received: unchecked. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Sends a notification that belongs to this request. */
  readonly notify: NotifyOfRequest;
  /**
   * Sends a request to the client on behalf of this request. Legacy clients only: in 2026-07-28
   * servers send no requests.
   *
   * @source R-121
   */
  readonly call: CallOfRequest;
  /** The same request with other parameters, or with properties of extensions. */
  with(changed: ChangedRequest): ServerRequest;
}

/** The changes of {@link ServerRequest.with}. */
export interface ChangedRequest {
  /** Default: the params of the request. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Properties of the context of the handler, apart from those that the request has. */
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- Extensions fill it.
  readonly properties?: Partial<ContextExtensionProperties> | undefined;
}

/** A request as the features of the server see it. */
export interface InnerServerRequest extends ServerRequest {
  readonly session: InnerServerSession | undefined;
  /** The rules of the request's protocol version. */
  readonly rules: RevisionRules;
  /** The state that features keep for the session, or for this request if it has no session. */
  readonly state: SessionState;
  /** The received request; {@link ServerRequest.with} creates copies of it. */
  readonly original: InnerServerRequest;
  /** Whether only the server's own handlers see the request and its result. */
  readonly isBare: boolean;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Minimum time between two progress notifications, in milliseconds. */
  readonly progressIntervalMs: number;
  /**
   * The means of its server to request input. Handlers use the means of {@link original}, so that
   * the server encrypts the state between rounds to which the client talks.
   */
  readonly interactions: InteractionService;
  /** True if something was ever asked, or is about to be. */
  asks: boolean;
  /** The object that requests input for this request, if it was used. */
  interaction: Interaction | undefined;
  /** Sets the response before the handler has finished. */
  onOutcome: ((outcome: Promise<object>) => void) | undefined;
  /** Declares that the handler only waits for events: see jsonrpc2's `Scope.park`. */
  park(end?: () => void): () => void;
  with(changed: ChangedRequest): InnerServerRequest;
}
