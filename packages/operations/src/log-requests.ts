import { checkOptionNames, errorSink } from "@tenon/base";
import type { ReceivingMiddleware, ServerRequest, StructuredLogger } from "@tenon/mcp";

import { observe, targetOf, type Ending } from "./outcome.ts";

/** Options of {@link logRequests}. */
export interface LogRequestsOptions {
  /** Returns whether a message is logged. By default all requests are, and no notifications. */
  readonly select?: ((request: ServerRequest) => boolean) | undefined;
  /** Receives the errors of the logger. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates middleware that logs each request when it has ended, with its method, target, principal,
 * duration in milliseconds and outcome. Error responses are warnings, and unexpected exceptions are
 * errors, as the field `err`. Arguments and results are never logged.
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
  checkOptionNames("logRequests", options, "select onError");
  const { select = ({ id }) => id !== undefined } = options;
  const onError = errorSink(options.onError);
  return (next) => (request) => {
    if (!select(request)) {
      return next(request);
    }
    const started = performance.now();
    return observe(next, request, (ending) => {
      try {
        write(logger, request, ending, performance.now() - started);
      } catch (error) {
        onError(error);
      }
    });
  };
}

function write(logger: StructuredLogger, request: ServerRequest, ending: Ending, durationMs: number): void {
  const { method, auth, http, id, revision } = request;
  const { outcome, code, error } = ending;
  const target = targetOf(request);
  const fields = {
    method,
    ...(target === undefined ? {} : { target }),
    ...(auth === undefined ? {} : { principal: auth.principal }),
    ...(http?.address === undefined ? {} : { address: http.address }),
    ...(id === undefined ? {} : { requestId: id }),
    revision,
    outcome,
    ...(code === undefined ? {} : { code }),
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(error === undefined ? {} : { err: error }),
  };
  const level = outcome === "failed" ? "error" : outcome === "rejected" ? "warn" : "info";
  // A name that the client has chosen must not be in the message: it could fake other lines.
  logger[level](fields, `${method} ${outcome}`);
}
