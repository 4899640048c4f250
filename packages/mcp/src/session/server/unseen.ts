import type { RequestId, Scope } from "@tenon/jsonrpc2";
import type { HttpRequestInfo, Revision } from "@tenon/protocol";

import { requests } from "../../base/diagnostics.ts";
import type { ServerSession } from "../../request/server/session.ts";
import { isTaken } from "../../revisions/index.ts";
import type { ServerDefinition } from "./definition.ts";

/** A request that middleware does not see, as the channel `tenon:request` publishes it. */
export interface UnseenRequest {
  /** The `Server` that handled the request. */
  readonly server: object;
  /** The session of the request, if it has one. */
  readonly session: ServerSession | undefined;
  readonly method: string;
  /** Whether any revision has the method. Strangers choose the names of all others. */
  readonly isKnown: boolean;
  /** As received: unchecked. */
  readonly params: object | undefined;
  readonly id: RequestId | undefined;
  /** The HTTP request that carried the message. On other transports it is `undefined`. */
  readonly http: HttpRequestInfo | undefined;
  /** The revision of the request, if it is known. */
  readonly revision: Revision | undefined;
  /** The error with which the request was rejected; `undefined` if it was served. */
  readonly error: unknown;
}

type Part = Pick<Scope, "id" | "method" | "params" | "extra">;

/** Whether somebody subscribed to the channel. */
export function isObserved(): boolean {
  return requests?.hasSubscribers === true;
}

/** Runs the handling of a request, and publishes the request when it has ended. */
export function publishing<T>(
  definition: ServerDefinition,
  { id, method, params, extra }: Part,
  session: ServerSession | undefined,
  run: () => T,
): T {
  const publish = (error?: unknown): void => {
    const { revision } = session ?? {};
    publishRejected(definition, { session, method, params, id, http: extra?.http, revision }, error);
  };
  try {
    const result = run();
    publish();
    return result;
  } catch (error) {
    publish(error);
    throw error;
  }
}

/** Publishes a request that middleware does not see. */
export function publishRejected(
  { owner }: ServerDefinition,
  request: Pick<UnseenRequest, "session" | "method" | "params" | "id" | "http" | "revision">,
  error: unknown,
): void {
  const { session, method, params, id, http, revision } = request;
  const isKnown = isTaken(method);
  const event: UnseenRequest = { server: owner, session, method, isKnown, params, id, http, revision, error };
  requests?.publish(event);
}
