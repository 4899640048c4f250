import {
  metrics,
  trace,
  type Attributes,
  type Histogram,
  type Meter,
  type MeterProvider,
  type ObservableCallback,
  type Tracer,
  type UpDownCounter,
} from "@opentelemetry/api";

import { gauges, histograms, type GaugeName, type HistogramName, type ReadGaugeName } from "./names.ts";
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
  readonly #gauges = new Map<GaugeName, UpDownCounter>();
  readonly #reads = new Map<ReadGaugeName, () => void>();
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

  /**
   * Counts something that begins.
   *
   * @returns Counts its end, at the meter that counted its beginning.
   */
  begin(name: GaugeName, attributes: Attributes = {}): () => void {
    const gauge = this.#gauge(name);
    const limited = this.#values.limited(attributes);
    gauge.add(1, limited);
    return () => gauge.add(-1, limited);
  }

  /**
   * Has a gauge read whenever metrics are collected. A further call has no effect, unless the
   * program has registered another provider.
   */
  read(name: ReadGaugeName, callback: ObservableCallback): void {
    this.#followProvider();
    if (this.#reads.has(name)) {
      return;
    }
    const [unit, description] = gauges[name];
    const gauge = this.#meter.createObservableGauge(name, { unit, description });
    gauge.addCallback(callback);
    this.#reads.set(name, () => gauge.removeCallback(callback));
  }

  /** Ends all reading. */
  endReads(): void {
    this.#reads.forEach((end) => end());
    this.#reads.clear();
  }

  #gauge(name: GaugeName): UpDownCounter {
    this.#followProvider();
    const known = this.#gauges.get(name);
    if (known !== undefined) {
      return known;
    }
    const [unit, description] = gauges[name];
    const made = this.#meter.createUpDownCounter(name, { unit, description });
    this.#gauges.set(name, made);
    return made;
  }

  get #meter(): Meter {
    return this.#options.meter ?? metrics.getMeter(scope);
  }

  /** A program may register its provider later than its clients and servers. */
  #followProvider(): void {
    const provider = this.#options.meter === undefined ? metrics.getMeterProvider() : undefined;
    if (this.#provider !== provider) {
      this.#provider = provider;
      this.#histograms.clear();
      this.#gauges.clear();
      this.endReads();
    }
  }

  #histogram(name: HistogramName): Histogram {
    this.#followProvider();
    const known = this.#histograms.get(name);
    if (known !== undefined) {
      return known;
    }
    const [description, boundaries] = histograms[name];
    const made = this.#meter.createHistogram(name, {
      unit: "s",
      description,
      advice: { explicitBucketBoundaries: [...boundaries] },
    });
    this.#histograms.set(name, made);
    return made;
  }
}
