import { checkOptionNames, errorSink, readLimits, type Clock, type LimitRules } from "@tenon/base";
import type { ReceivingMiddleware, ServerRequest } from "@tenon/mcp";

import { isSelected, observe, targetOf } from "../outcome.ts";
import { auditEvent } from "./event.ts";
import { AuditQueue, type AuditWriter } from "./queue.ts";

/** Limits of {@link createAudit}. */
export interface AuditLimits {
  /**
   * Maximum number of events that wait to be written. One sender may use half of it. Further events
   * are dropped, and an `AuditGap` tells how many. Default: `10_000`.
   */
  readonly maxQueued?: number | undefined;
  /** Maximum number of events of one write. Default: `100`. */
  readonly maxBatch?: number | undefined;
  /** Maximum time of one write, in milliseconds. Default: `10_000`. */
  readonly writeTimeoutMs?: number | undefined;
  /** Delay before a failed write is repeated, in milliseconds. It doubles. Default: `500`. */
  readonly initialDelayMs?: number | undefined;
  /** Maximum delay before a failed write is repeated, in milliseconds. Default: `30_000`. */
  readonly maxDelayMs?: number | undefined;
  /** Maximum time of `close`, in milliseconds. Default: `10_000`. */
  readonly closeTimeoutMs?: number | undefined;
}

const limitRules: LimitRules<AuditLimits> = {
  maxQueued: [10_000, 2],
  maxBatch: [100, 1],
  writeTimeoutMs: [10_000, 1],
  initialDelayMs: [500, 1],
  maxDelayMs: [30_000, 1],
  closeTimeoutMs: [10_000, 0],
};

/** Options of {@link createAudit}. */
export interface AuditOptions {
  /** Stores events. A write that fails is repeated with the same events until it succeeds. */
  readonly write: AuditWriter;
  /**
   * Returns what an event may contain of the arguments of a tool or a prompt: the value, a copy
   * without its secrets, or `undefined` for nothing. If it throws, the event contains nothing. By
   * default events contain no arguments.
   */
  readonly arguments?:
    | ((value: unknown, of: { readonly method: string; readonly target: string | undefined }) => unknown)
    | undefined;
  /**
   * Returns whether a request is recorded. If it throws, the request is. By default all requests
   * are, except `ping`.
   */
  readonly select?: ((request: ServerRequest) => boolean) | undefined;
  /** Limits of the queue. Each limit has its own default. */
  readonly limits?: AuditLimits | undefined;
  /**
   * Receives failures of `write`, `select` and `arguments`, and the beginning of a gap. Default:
   * `console.error`.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Measures the time. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** The audit of a server. */
export interface Audit extends AsyncDisposable {
  /**
   * Records requests. To see what other middleware rejects, it must be the first in the list of
   * `addReceivingMiddleware`, or be added by a later call.
   */
  readonly middleware: ReceivingMiddleware<ServerRequest>;
  /** How many events wait to be written: at most `maxQueued`, a number for a gauge. */
  readonly queued: number;
  /**
   * Writes the events that wait. Close the server first. Idempotent.
   *
   * @throws If events could not be written within `closeTimeoutMs`.
   */
  close(): Promise<void>;
}

/** Maximum length of the arguments in an event, in UTF-16 code units. */
const maxArguments = 8_192;

/**
 * Creates an audit: an event for each request, with its sender, target and outcome, written in
 * batches and in order. A request never waits for its event, and never fails because of it.
 *
 * Middleware does not see what is refused before it: requests without valid credentials, unknown
 * methods and `initialize`.
 *
 * @throws `TypeError` for options that do not exist or are out of range.
 */
export function createAudit(options: AuditOptions): Audit {
  checkOptionNames("createAudit", options, "write arguments select limits onError clock", limitRules);
  const { write, arguments: show, select = ({ method }) => method !== "ping", clock } = options;
  if (typeof write !== "function") {
    throw new TypeError("createAudit needs write, a function that stores events.");
  }
  const limits = readLimits(options.limits, limitRules);
  const onError = errorSink(options.onError);
  const queue = new AuditQueue(write, { ...limits, clock, onError });
  let closing: Promise<void> | undefined;

  function shownArguments(request: ServerRequest): string | undefined {
    const { method, params } = request;
    if (show === undefined || params["arguments"] === undefined) {
      return undefined;
    }
    try {
      const text = JSON.stringify(show(params["arguments"], { method, target: targetOf(request) })) as
        | string
        | undefined;
      return text?.slice(0, maxArguments);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  const middleware: ReceivingMiddleware<ServerRequest> = (next) => (request) => {
    if (request.id === undefined || !isSelected(select, request, onError)) {
      return next(request);
    }
    const date = new Date();
    const started = performance.now();
    // The handler may change its arguments.
    const shown = shownArguments(request);
    return observe(next, request, (ending) => {
      queue.add(auditEvent(request, ending, { date, durationMs: performance.now() - started, shown }));
    });
  };
  const close = (): Promise<void> => {
    closing ??= queue.end(limits.closeTimeoutMs);
    return closing;
  };
  return {
    middleware,
    get queued() {
      return queue.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
