import type { Meter, Tracer } from "@opentelemetry/api";
import { checkOptionNames, readLimits, type LimitRules, type ResolvedLimits } from "@tenon/base";
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
   * methods do but `ping` and `tasks/get`, which are repeated. If it throws an error, the message
   * gets a span.
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
   * Returns the value of `mcp.session.id` for the ID of a session, which is a credential. If it
   * throws an error, the session gets a name as by default. Default: a random name for each session
   * of this process.
   */
  readonly sessionId?: ((id: string) => string) | undefined;
  /** Limits of the metrics. Each limit has its own default. */
  readonly limits?: MetricLimits | undefined;
}

/** Limits of the metrics of `instrument` and `instrumentStores`. */
export interface MetricLimits {
  /**
   * Maximum number of values of one attribute of metrics: names of tools and prompts, types of
   * errors, addresses and ports. Further values are reported as `_OTHER`. Default: `1_000`.
   */
  readonly maxValues?: number | undefined;
}

/** Options of `instrumentStores`. */
export interface InstrumentStoresOptions {
  /** Makes the histogram. Default: the meter `@tenon/otel` of the global provider. */
  readonly meter?: Meter | undefined;
  /** Limits of the metrics. Each limit has its own default. */
  readonly limits?: MetricLimits | undefined;
}

/** Options of `instrumentHandler`. */
export interface InstrumentHandlerOptions {
  /** Makes the gauge and the histogram. Default: the meter `@tenon/otel` of the global provider. */
  readonly meter?: Meter | undefined;
}

/** The result of `instrument`. */
export interface Instrumentation extends AsyncDisposable {
  /**
   * Ends the instrumentation: new messages are neither measured nor changed. Spans of running
   * messages still end. Idempotent.
   */
  close(): Promise<void>;
}

/** The rule of every limit. */
export const metricLimitRules: LimitRules<MetricLimits> = { maxValues: [1000, 1] };

/**
 * Checks the options of `instrument`. @throws `TypeError` for options that do not exist.
 */
export function checkOptions(options: InstrumentOptions): ResolvedLimits<MetricLimits> {
  checkOptionNames(
    "instrument",
    options,
    "tracer meter spans capture baggage propagate sessionId limits",
    metricLimitRules,
  );
  checkOptionNames("capture", options.capture ?? {}, "arguments results");
  return readLimits(options.limits, metricLimitRules);
}

/**
 * Checks the options of `instrumentStores`. @throws `TypeError` for options that do not exist.
 */
export function checkStoresOptions(options: InstrumentStoresOptions): ResolvedLimits<MetricLimits> {
  checkOptionNames("instrumentStores", options, "meter limits", metricLimitRules);
  return readLimits(options.limits, metricLimitRules);
}

/** Checks the options of `instrumentHandler`. @throws `TypeError` for options that do not exist. */
export function checkHandlerOptions(options: InstrumentHandlerOptions): void {
  checkOptionNames("instrumentHandler", options, "meter");
}
