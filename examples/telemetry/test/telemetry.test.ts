import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import { expect, onTestFinished, test } from "vitest";

import { startCollector } from "../src/collector.ts";
import { startTelemetry } from "../src/telemetry.ts";

test("the collector prints the spans that a process has sent as trees", async () => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const telemetry = startTelemetry("shop", collector.url);
  onTestFinished(() => [trace, context, propagation].forEach((api) => api.disable()));
  const tracer = trace.getTracer("test");
  for (const name of ["sell", "buy"]) {
    tracer.startActiveSpan(name, (outer) => {
      tracer.startSpan("first").end();
      const second = tracer.startSpan("second");
      second.setStatus({ code: SpanStatusCode.ERROR, message: "out of paper" });
      second.end();
      outer.end();
    });
  }
  await telemetry.shutdown();
  expect(collector.traces("sell")).toBe(
    "shop inside sell\n  shop inside first\n  shop inside second (failed: out of paper)",
  );
});
