import {
  metrics,
  trace,
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type Tracer,
} from "@opentelemetry/api";

import { buckets, Metric } from "./names.ts";
import type { InstrumentOptions } from "./options.ts";

/** The name under which spans and metrics are reported. */
const scope = "@tenon/otel";
/** Where all copies of the API, of major version 1, keep what the program has registered. */
const registry = /* @__PURE__ */ Symbol.for("opentelemetry.js.api.1");

/** The side of an instrumented program. */
export type Side = keyof typeof Metric;

interface Registered {
  readonly trace?: unknown;
  readonly metrics?: unknown;
}

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
    const provider = trace.getTracerProvider();
    if ("getDelegateTracer" in provider && typeof provider.getDelegateTracer === "function") {
      return (provider.getDelegateTracer(scope) as Tracer | undefined) ?? undefined;
    }
    return provider.getTracer(scope);
  }

  /**
   * Whether the program has a tracer or a meter: otherwise nothing needs to be observed. The
   * registry is read directly, because methods of the API allocate memory.
   */
  get isRecording(): boolean {
    const { [registry]: api } = globalThis as { readonly [registry]?: Registered };
    const { tracer, meter } = this.#options;
    return (tracer ?? meter ?? api?.trace ?? api?.metrics) !== undefined;
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
