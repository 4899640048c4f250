import type { Client, ClientRequest, ClientSession, Server, ServerRequest, ServerSession } from "@tenon/mcp";

import { receiving, sending } from "./middleware.ts";
import { Observer } from "./observer.ts";
import { checkOptions, type Instrumentation, type InstrumentOptions } from "./options.ts";
import { measureSessions } from "./sessions.ts";
import { Telemetry } from "./telemetry.ts";
import { reportUnseen } from "./unseen.ts";

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
 * Call it once for each client and server, before it connects. Middleware that was added before
 * runs inside of the spans. Servers report `initialize` and unknown methods by the diagnostics
 * channel `tenon:request`. Cancellations have no spans.
 *
 * @example
 * instrument(server); // uses the global providers
 *
 * @throws `TypeError` for options that do not exist.
 */
export function instrument(target: Client | Server, options: InstrumentOptions = {}): Instrumentation {
  checkOptions(options);
  const side = "addTool" in target ? "server" : "client";
  const telemetry = new Telemetry(side, options);
  const observer = new Observer(telemetry, options);
  if ("addTool" in target) {
    target.addReceivingMiddleware(receiving<ServerRequest>(observer));
    target.addSendingMiddleware(sending<ServerSession | undefined>(observer));
  } else {
    target.addReceivingMiddleware(receiving<ClientRequest>(observer));
    target.addSendingMiddleware(sending<ClientSession>(observer));
  }
  const stops = [measureSessions(target, telemetry), reportUnseen(target, observer)];
  const close = (): Promise<void> => {
    observer.end();
    stops.forEach((stop) => stop());
    return Promise.resolve();
  };
  return { close, [Symbol.asyncDispose]: close };
}
