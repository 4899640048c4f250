import {
  metrics,
  trace,
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type Tracer,
} from "@opentelemetry/api";

import { histograms, type HistogramName } from "./names.ts";
import type { Values } from "./values.ts";

/** The name under which spans and metrics are reported. */
const scope = "@tenon/otel";
/** Where all copies of the API, of major version 1, keep what the program has registered. */
const registry = /* @__PURE__ */ Symbol.for("opentelemetry.js.api.1");

/** The side of an instrumented program. */
export type Side = "client" | "server";

interface Registered {
  readonly trace?: unknown;
  readonly metrics?: unknown;
}

/** The tracer and the meter that a program chooses. By default those of the global providers. */
export interface TelemetryOptions {
  readonly tracer?: Tracer | undefined;
  readonly meter?: Meter | undefined;
}

/** The tracer and the histograms, from the options or from the global providers. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #values: Values;
  readonly #histograms = new Map<HistogramName, Histogram>();
  #provider: MeterProvider | undefined;

  /** @param values - Limits the values of attributes. */
  constructor(options: TelemetryOptions, values: Values) {
    this.#options = options;
    this.#values = values;
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

  /** Records the duration since `started`, a time of `performance.now()`. */
  record(name: HistogramName, started: number, attributes: Attributes): void {
    const duration = (performance.now() - started) / 1_000;
    this.#histogram(name).record(duration, this.#values.limited(attributes));
  }

  /** A program may register its provider later than its clients and servers. */
  #histogram(name: HistogramName): Histogram {
    const { meter } = this.#options;
    const provider = meter === undefined ? metrics.getMeterProvider() : undefined;
    if (this.#provider !== provider) {
      this.#provider = provider;
      this.#histograms.clear();
    }
    const known = this.#histograms.get(name);
    if (known !== undefined) {
      return known;
    }
    const [description, boundaries] = histograms[name];
    const made = (meter ?? metrics.getMeter(scope)).createHistogram(name, {
      unit: "s",
      description,
      advice: { explicitBucketBoundaries: [...boundaries] },
    });
    this.#histograms.set(name, made);
    return made;
  }
}
