import {
  createNoopMeter,
  metrics,
  trace,
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";

import { buckets, Metric } from "./names.ts";
import type { InstrumentOptions } from "./options.ts";

/** The name under which spans and metrics are reported. */
const scope = "@tenon/otel";
/** The meter of a program that has registered none. */
const noMeter = /* @__PURE__ */ createNoopMeter();
/** How many messages pass between two looks at the global providers, which allocate memory. */
const looksEvery = 64;

/** The side of an instrumented program. */
export type Side = keyof typeof Metric;

interface Histograms {
  readonly operation: Histogram;
  readonly session: Histogram;
}

/** The tracer and the histograms, from the options or from the global providers. */
export class Telemetry {
  readonly side: Side;
  readonly #options: InstrumentOptions;
  #provider: MeterProvider | undefined;
  #histograms: Histograms | undefined;
  #tracers: TracerProvider | undefined;
  #hasMeter = false;
  #untilLook = 0;

  constructor(side: Side, options: InstrumentOptions) {
    this.side = side;
    this.#options = options;
    if (options.meter !== undefined) {
      this.#histograms = histogramsOf(options.meter, side);
    }
  }

  /** The tracer; `undefined` while the program has registered none. */
  get tracer(): Tracer | undefined {
    if (this.#options.tracer !== undefined) {
      return this.#options.tracer;
    }
    const provider = (this.#tracers ??= trace.getTracerProvider());
    if ("getDelegateTracer" in provider && typeof provider.getDelegateTracer === "function") {
      return (provider.getDelegateTracer(scope) as Tracer | undefined) ?? undefined;
    }
    return provider.getTracer(scope);
  }

  /**
   * Whether the program has a tracer or a meter: otherwise nothing needs to be observed. A tracer
   * that is registered later is found at once, a meter within 64 messages.
   */
  get isRecording(): boolean {
    if (this.#untilLook === 0) {
      this.#untilLook = looksEvery;
      this.#tracers = trace.getTracerProvider();
      this.#hasMeter = metrics.getMeter(scope) !== noMeter;
    }
    this.#untilLook--;
    return this.#hasMeter || this.#options.meter !== undefined || this.tracer !== undefined;
  }

  /** Records the duration of a message, in seconds. */
  operation(seconds: number, attributes: Attributes): void {
    this.#current().operation.record(seconds, attributes);
  }

  /** Records the duration of a session, in seconds. */
  session(seconds: number, attributes: Attributes): void {
    this.#current().session.record(seconds, attributes);
  }

  /** A program may register its provider later than its clients and servers. */
  #current(): Histograms {
    const { meter } = this.#options;
    const provider = meter === undefined ? metrics.getMeterProvider() : undefined;
    if (this.#histograms === undefined || this.#provider !== provider) {
      this.#provider = provider;
      this.#histograms = histogramsOf(meter ?? metrics.getMeter(scope), this.side);
    }
    return this.#histograms;
  }
}

function histogramsOf(meter: Meter, side: Side): Histograms {
  const advice = { unit: "s", advice: { explicitBucketBoundaries: buckets } };
  const names = Metric[side];
  return {
    operation: meter.createHistogram(names.operation, {
      ...advice,
      description: "The duration of a request or a notification, until its result or its delivery.",
    }),
    session: meter.createHistogram(names.session, { ...advice, description: "The duration of a session." }),
  };
}
