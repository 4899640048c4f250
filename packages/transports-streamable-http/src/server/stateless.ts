import type { Exchange, HeaderFields } from "@tenon/http/server";
import type { Incoming, Notification, Request } from "@tenon/jsonrpc2";

import { metaOf } from "../shared/meta.ts";
import { HeaderName, MetaKey } from "../shared/names.ts";
import { Answer, type AnswerSettings } from "./answer.ts";
import { checkEnvelope, checkParams } from "./check-headers.ts";
import { checkRevision } from "./check-revision.ts";
import type { LaneCall } from "./lane.ts";
import { shakeHands, type Lanes } from "./lanes.ts";
import { refusal, refuse } from "./refusal.ts";
import type { RequestInfo } from "./request-info.ts";
import type { ServerLike } from "./server-like.ts";

/** One request without a session, on its way. */
export interface StatelessCall {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly headers: HeaderFields;
  readonly server: ServerLike;
  readonly lanes: Lanes;
  readonly settings: AnswerSettings;
}

/** Serves a request of the modern era, after checking its headers. */
export function serveModern(request: Request, call: StatelessCall): void {
  const { exchange, headers, server } = call;
  const refused = checkEnvelope(exchange, request) ?? checkParams(exchange, request, server);
  if (refused !== undefined) {
    refuse(exchange, refused, headers, request.id);
    return;
  }
  const lane = call.lanes.pick(server, "modern");
  const answer = answerOf(request, call);
  const target = request.method === "subscriptions/listen" ? new Subscription(answer) : answer;
  const id = lane.dispatch(target, { method: request.method, params: request.params, extra: call.info });
  // in this era a client that goes away cancels.
  exchange.onDisconnect(() => {
    answer.disconnected();
    lane.cancel(id, "The client has closed the connection.");
  });
}

/** Methods that change what later requests get, which nothing outlives here: they run on a lane of their own. */
const stateful: ReadonlySet<string> = new Set([
  "initialize",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

const assumedVersion = "2025-03-26";

/** Serves a request of the legacy era as if its client had just connected. @source R-368 */
export function serveLegacy(request: Request, call: StatelessCall): void {
  const { exchange, server, lanes } = call;
  const refused = checkRevision(exchange);
  if (refused !== undefined) {
    refuse(exchange, refused, call.headers, request.id);
    return;
  }
  const version = exchange.header(HeaderName.protocolVersion) ?? assumedVersion;
  const { method, params } = request;
  const preface = method === "initialize" ? undefined : shakeHands;
  const lane = stateful.has(method)
    ? lanes.single(server, version, preface)
    : lanes.pick(server, version, preface);
  const answer = answerOf(request, call);
  const id = lane.dispatch(answer, { method, params, extra: call.info });
  // going away is no cancellation here, but there is nobody left to tell either.
  exchange.onDisconnect(() => {
    answer.disconnected();
    lane.cancel(id, "The client has closed the connection.");
  });
}

/** Takes a notification without a session. Nothing can be cancelled by one: the id in it may be that of any client. @source R-289 */
export function takeNotification(
  notification: Notification,
  call: StatelessCall,
  kind: "modern" | "legacy",
): void {
  const { exchange, headers, info, lanes, server } = call;
  exchange.respond(202, headers);
  const { method, params } = notification;
  if (kind === "modern" && method !== "notifications/cancelled") {
    lanes.pick(server, "modern").inform({ method, params, extra: info });
  }
}

/** Whether a message without a session is refused, and how. */
export function refuseOther(incoming: Incoming, { exchange, headers }: StatelessCall): void {
  const text = "batch" in incoming ? "batches need a session" : "responses need a session";
  refuse(exchange, refusal(400, -32600, `Invalid Request: ${text}`), headers);
}

function answerOf({ id }: Request, { exchange, headers, settings }: StatelessCall): Answer {
  return new Answer(id, exchange, headers, settings);
}

/** The stream of a `subscriptions/listen`: its messages repeat the id of the request, which must be the client's own. @source R-534 */
class Subscription implements LaneCall {
  readonly #answer: Answer;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  deliver(message: Parameters<LaneCall["deliver"]>[0]): ReturnType<LaneCall["deliver"]> {
    return this.#answer.deliver(
      "params" in message ? { ...message, params: this.#rename(message.params) } : message,
    );
  }

  finish(response: Parameters<LaneCall["finish"]>[0]): void {
    this.#answer.finish(
      "result" in response ? { ...response, result: this.#rename(response.result) } : response,
    );
  }

  #rename<T>(container: T): T {
    const meta = metaOf(container);
    return meta !== undefined && MetaKey.subscriptionId in meta
      ? { ...container, _meta: { ...meta, [MetaKey.subscriptionId]: this.#answer.id } }
      : container;
  }
}
