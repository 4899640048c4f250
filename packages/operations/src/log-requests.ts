import { checkOptionNames, errorSink } from "@tenon/base";
import type { ReceivingMiddleware, ServerRequest, StructuredLogger } from "@tenon/mcp";

import { isSelected, observe, targetOf, type Ending } from "./outcome.ts";

/** Options of {@link logRequests}. */
export interface LogRequestsOptions {
  /**
   * Returns whether a message is logged. If it throws, the message is. By default all requests are,
   * and no notifications.
   */
  readonly select?: ((request: ServerRequest) => boolean) | undefined;
  /**
   * Returns fields to add, such as those of the active span. It is called when the request has
   * ended. By default there are none.
   */
  readonly fields?: ((request: ServerRequest) => Readonly<Record<string, unknown>>) | undefined;
  /** Receives the errors of the logger, `select` and `fields`. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates middleware that logs each request when it has ended, with its method, target, principal,
 * duration in milliseconds, outcome and the trace ID of its sender. Error responses are warnings,
 * and unexpected exceptions are errors, as the field `err`. Arguments and results are never logged.
 *
 * @example
 * server.addReceivingMiddleware(logRequests(console));
 *
 * @param logger - Default: `console`.
 * @throws `TypeError` for options that do not exist.
 */
export function logRequests(
  logger: StructuredLogger = console,
  options: LogRequestsOptions = {},
): ReceivingMiddleware<ServerRequest> {
  checkOptionNames("logRequests", options, "select fields onError");
  const { select = ({ id }) => id !== undefined } = options;
  const onError = errorSink(options.onError);
  return (next) => (request) => {
    if (!isSelected(select, request, onError)) {
      return next(request);
    }
    const started = performance.now();
    return observe(next, request, (ending) => {
      try {
        const durationMs = performance.now() - started;
        write(logger, request, { ...ending, durationMs, more: options.fields?.(request) ?? {} });
      } catch (error) {
        onError(error);
      }
    });
  };
}

/** The trace ID of a `traceparent` of W3C Trace Context. */
const traceparent = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

/** The ID of the trace to which a request belongs: in its `_meta`, otherwise in its HTTP header. */
function traceIdOf({ meta, http }: ServerRequest): string | undefined {
  const own = meta["traceparent"];
  const given = typeof own === "string" ? own : (http?.headers.get("traceparent") ?? undefined);
  return given === undefined ? undefined : traceparent.exec(given)?.[1];
}

function write(
  logger: StructuredLogger,
  request: ServerRequest,
  ending: Ending & {
    readonly durationMs: number;
    readonly more: Readonly<Record<string, unknown>>;
  },
): void {
  const { method, auth, http, id, revision } = request;
  const { outcome, code, error, durationMs, more } = ending;
  const target = targetOf(request);
  const traceId = traceIdOf(request);
  const fields = {
    method,
    ...(target === undefined ? {} : { target }),
    ...(auth === undefined ? {} : { principal: auth.principal }),
    ...(http?.address === undefined ? {} : { address: http.address }),
    ...(id === undefined ? {} : { requestId: id }),
    revision,
    ...(traceId === undefined ? {} : { traceId }),
    outcome,
    ...(code === undefined ? {} : { code }),
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(error === undefined ? {} : { err: error }),
    ...more,
  };
  const level = outcome === "failed" ? "error" : outcome === "rejected" ? "warn" : "info";
  // A name that the client has chosen must not be in the message: it could fake other lines.
  logger[level](fields, `${method} ${outcome}`);
}
