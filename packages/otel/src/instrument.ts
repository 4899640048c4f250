import type { Client, ClientRequest, ClientSession, Server, ServerRequest, ServerSession } from "@tenon/mcp";

import { attempt } from "./attempt.ts";
import { observeDeferred } from "./deferred.ts";
import { observeHandshakes } from "./handshake.ts";
import { receiving, sending } from "./middleware.ts";
import { Observer } from "./observer.ts";
import { checkOptions, type Instrumentation, type InstrumentOptions } from "./options.ts";
import { measureSessions } from "./sessions.ts";
import { Telemetry } from "./telemetry.ts";
import { reportUnseen } from "./unseen.ts";
import { Values } from "./values.ts";

/**
 * Reports what a client or a server sends and receives to OpenTelemetry: a span for each request
 * and notification, and the durations of messages and sessions as histograms. The trace context
 * travels in the `_meta` of messages, over every transport, so that the spans of client and server
 * are one trace.
 *
 * The parent of a received message is the span in its `_meta`; without one, the active span;
 * without one, the `traceparent` header of the HTTP request. If a message has both a span in its
 * `_meta` and an active span, the active span becomes a link.
 *
 * Each run of a task is a trace of its own, with a link to the request that created the task.
 *
 * Call it once for each client and server, before it connects. Middleware that was added before
 * runs inside of the spans. Handshakes, unknown methods and tasks are observed through diagnostics
 * channels, on runtimes that have them. Cancellations have no spans.
 *
 * @example
 * instrument(server); // uses the global providers
 *
 * @throws `TypeError` for options that do not exist.
 */
export function instrument(target: Client | Server, options: InstrumentOptions = {}): Instrumentation {
  const values = new Values(checkOptions(options).maxValues);
  const side = "addTool" in target ? "server" : "client";
  const telemetry = new Telemetry(options, values);
  const observer = new Observer(side, telemetry, values, options);
  const stops = [measureSessions(target, side, telemetry)];
  if ("addTool" in target) {
    target.addReceivingMiddleware(receiving<ServerRequest>(observer));
    target.addSendingMiddleware(sending<ServerSession | undefined>(observer));
    const { spans = () => true } = options;
    const hasSpans = (method: string): boolean => attempt("spans", () => spans(method), true);
    stops.push(reportUnseen(target, observer), observeDeferred(target, observer, telemetry, hasSpans));
  } else {
    target.addReceivingMiddleware(receiving<ClientRequest>(observer));
    target.addSendingMiddleware(sending<ClientSession>(observer));
    stops.push(observeHandshakes(target, observer));
  }
  const close = (): Promise<void> => {
    observer.end();
    stops.forEach((stop) => stop());
    return Promise.resolve();
  };
  return { close, [Symbol.asyncDispose]: close };
}
