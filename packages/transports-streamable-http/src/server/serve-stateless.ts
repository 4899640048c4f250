import { watchExpiry } from "@tenon/http/server";
import {
  ErrorCode,
  isNotification,
  isRequest,
  type Handling,
  type Incoming,
  type Notification,
  type Request,
} from "@tenon/jsonrpc2/core";

import { Answer } from "./answer.ts";
import { refuseDenied } from "./authorization.ts";
import type { StatelessCall } from "./call.ts";
import { checkEnvelope, checkParams } from "./check-headers.ts";
import { checkRevision } from "./check-revision.ts";
import type { Guest, InFlight } from "./in-flight.ts";
import { refusal, refuse } from "./refusal.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * Serves a message without a session. A legacy request is served as if its client had just
 * connected.
 *
 * @source R-368
 */
export function serveStateless(incoming: Incoming, call: StatelessCall): void {
  if (isNotification(incoming)) {
    takeNotification(incoming, call);
    return;
  }
  if (!isRequest(incoming)) {
    takeOther(incoming, call);
    return;
  }
  const refused =
    call.facts.era === "modern"
      ? (checkEnvelope(incoming, call) ?? checkParams(incoming, call))
      : checkRevision(call.facts.version);
  if (refused === undefined) {
    serve(incoming, call);
  } else {
    refuse(call.exchange, refused, call.headers, incoming.id);
  }
}

/**
 * Passes a request to the server. A client that disconnects cancels its request: a modern request
 * according to the specification, a legacy request because its response could not be delivered.
 *
 * @source
 */
function serve(request: Request, call: StatelessCall): void {
  const { exchange, headers, settings, info, server } = call;
  const { authorize, inFlight } = settings;
  if (authorize !== undefined && refuseDenied(authorize, request, call)) {
    return;
  }
  const refused = inFlight.refusal(info);
  if (refused !== undefined) {
    refuse(exchange, refused, headers, request.id);
    return;
  }
  const answer = new Answer(exchange, headers, settings, info);
  try {
    answer.handling = server.handle(request, answer, call.facts);
  } catch (error) {
    // The client must not wait in vain, and the place of the request must become free.
    answer.answer({
      jsonrpc: "2.0",
      id: request.id,
      error: { code: ErrorCode.InternalError, message: "Internal error" },
    });
    answer.ended();
    throw error;
  }
  if (!answer.done) {
    if (settings.lasts) {
      answer.expiry = watchExpiry(info.auth, () => void answer.handling?.close());
    }
    exchange.onDisconnect(() => {
      answer.disconnected();
      answer.handling?.cancel(new DOMException("Connection closed by the client.", "AbortError"));
    });
  }
}

/**
 * Handles a notification without a session. It cannot cancel a request, because its ID could belong
 * to any client.
 *
 * @source R-289
 */
function takeNotification(notification: Notification, call: StatelessCall): void {
  const { exchange, headers, info, server, settings, facts } = call;
  const { authorize, inFlight } = settings;
  if (authorize !== undefined && refuseDenied(authorize, notification, call)) {
    return;
  }
  const refused = inFlight.refusal(info);
  if (refused !== undefined) {
    refuse(exchange, refused, headers);
    return;
  }
  exchange.respond(202, headers);
  if (facts.era === "modern" && notification.method !== "notifications/cancelled") {
    const taken = new TakenNotification(info, inFlight);
    try {
      taken.handling = server.handle(notification, taken, facts);
    } catch (error) {
      taken.ended();
      throw error;
    }
  }
}

/** A notification that is being handled. Nothing can be sent for it. */
class TakenNotification implements Guest {
  place = -1;
  isCounted = false;
  handling: Handling | undefined;
  readonly extra: RequestInfo;
  readonly #inFlight: InFlight;

  constructor(extra: RequestInfo, inFlight: InFlight) {
    this.extra = extra;
    this.#inFlight = inFlight;
    inFlight.add(this);
  }

  notify(): undefined {}

  answer(): void {}

  beat(): void {}

  revoke(): void {
    this.handling?.cancel(new DOMException("Sender is no longer authorized.", "AbortError"));
  }

  ended(): void {
    this.#inFlight.delete(this);
  }
}

/** Serves a batch and refuses responses. The code for batches is loaded with the first batch. */
function takeOther(incoming: Incoming, call: StatelessCall): void {
  const { exchange, headers } = call;
  if ("batch" in incoming) {
    import("./stateless-batch.lazy.ts")
      .then(({ serveBatch }) => serveBatch(incoming, call))
      .catch(() => refuse(exchange, refusal(500, "Internal error"), headers));
  } else {
    refuse(exchange, refusal(400, "Invalid Request: responses need a session"), headers);
  }
}
