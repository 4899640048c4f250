import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type HistogramMetricData,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";

/** OpenTelemetry of this process, with exporters in memory. */
export interface Telemetry extends AsyncDisposable {
  readonly spans: () => readonly ReadableSpan[];
  readonly named: (name: string, kind?: number) => ReadableSpan;
  readonly points: (metric: string) => Promise<HistogramMetricData["dataPoints"]>;
}

const isOf = ({ kind }: { readonly kind: number }, wanted: number): boolean => kind === wanted;

/** Registers providers, propagator and context manager, until it is disposed of. */
export function startTelemetry(): Telemetry {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const meters = new MeterProvider({ readers: [reader] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  trace.setGlobalTracerProvider(provider);
  metrics.setGlobalMeterProvider(meters);
  return {
    spans: () => exporter.getFinishedSpans(),
    named: (name, kind) => {
      const found = exporter
        .getFinishedSpans()
        .filter((span) => span.name === name && (kind === undefined || isOf(span, kind)));
      if (found[0] === undefined) {
        const all = exporter.getFinishedSpans().map((span) => span.name);
        throw new Error(`No span ${name}; there are: ${all.join(", ")}`);
      }
      return found[0];
    },
    points: async (metric) => {
      metricExporter.reset();
      await reader.forceFlush();
      const all = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      const found = all
        .flatMap((scope) => scope.metrics)
        .filter(({ descriptor }) => descriptor.name === metric);
      return found.flatMap((data) => (data as HistogramMetricData).dataPoints);
    },
    async [Symbol.asyncDispose]() {
      trace.disable();
      metrics.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
      await meters.shutdown();
    },
  };
}
