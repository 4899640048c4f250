import type { Meter, Tracer } from "@opentelemetry/api";
import { checkOptionNames, type OptionNames } from "@tenon/jsonrpc2/transport";
import type { ClientSession, ServerSession } from "@tenon/mcp";

/** A session of an instrumented client or server. */
export type ReportedSession = ClientSession | ServerSession;

/** The message that a value was taken from. */
export interface Captured {
  /** Such as `tools/call`. */
  readonly method: string;
  /** The name of the tool or the prompt. */
  readonly target: string | undefined;
}

/**
 * Returns what a span may show of a value: the value, a copy without its secrets, or `undefined`
 * for nothing. If it throws, the span shows nothing.
 */
export type Capture = (value: unknown, of: Captured) => unknown;

/** The contents that spans show. They are sensitive: by default spans show none. */
export interface CaptureOptions {
  /**
   * Shows the arguments of `tools/call` as `gen_ai.tool.call.arguments`: JSON, cut at 8,192
   * characters.
   */
  readonly arguments?: Capture | undefined;
  /**
   * Shows the results of `tools/call` as `gen_ai.tool.call.result`: JSON, cut at 8,192 characters.
   */
  readonly results?: Capture | undefined;
}

/** Options of `instrument`. */
export interface InstrumentOptions {
  /** Makes the spans. Default: the tracer `@tenon/otel` of the global provider. */
  readonly tracer?: Tracer | undefined;
  /** Makes the histograms. Default: the meter `@tenon/otel` of the global provider. */
  readonly meter?: Meter | undefined;
  /**
   * Returns whether messages with this method get a span; metrics count them all. By default all
   * methods do but `ping` and `tasks/get`, which are repeated.
   */
  readonly spans?: ((method: string) => boolean) | undefined;
  /** The contents that spans show. By default they show none. */
  readonly capture?: CaptureOptions | undefined;
  /**
   * Whether `baggage` is sent with messages and accepted from them. It may carry personal data:
   * share it only with parties that you trust. Default: `false`.
   */
  readonly baggage?: boolean | undefined;
  /**
   * Whether messages carry `traceparent` and `tracestate` in their `_meta`. Default: `true`.
   */
  readonly propagate?: boolean | undefined;
  /**
   * Returns the value of `mcp.session.id` for the ID of a session, which is a credential. Default:
   * a random name for each session of this process.
   */
  readonly sessionId?: ((id: string) => string) | undefined;
}

/** The result of `instrument`. */
export interface Instrumentation extends AsyncDisposable {
  /**
   * Ends the instrumentation: new messages are neither measured nor changed. Spans of running
   * messages still end. Idempotent.
   */
  close(): Promise<void>;
}

const optionNames: OptionNames<InstrumentOptions> = {
  tracer: true,
  meter: true,
  spans: true,
  capture: true,
  baggage: true,
  propagate: true,
  sessionId: true,
};

const captureNames: OptionNames<CaptureOptions> = { arguments: true, results: true };

/** @throws `TypeError` for options that do not exist. */
export function checkOptions(options: InstrumentOptions): void {
  checkOptionNames("instrument", options, optionNames);
  checkOptionNames("capture", options.capture, captureNames);
}
