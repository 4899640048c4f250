// A process sends the spans of a call to a collector, which prints them as a tree.
import { SpanStatusCode, trace } from "@opentelemetry/api";

import { startCollector } from "./collector.ts";
import { startTelemetry } from "./telemetry.ts";

const collector = await startCollector();
console.log(`The collector listens at ${collector.url}`);
const telemetry = startTelemetry("shop", collector.url);
trace.getTracer("demo").startActiveSpan("tools/call order", (call) => {
  trace.getTracer("demo").startSpan("check stock").end();
  const print = trace.getTracer("demo").startSpan("print receipt");
  print.setStatus({ code: SpanStatusCode.ERROR, message: "out of paper" });
  print.end();
  call.end();
});
await telemetry.shutdown();
console.log("Trace in the collector:\n");
console.log(collector.traces("tools/call order"));
collector.close();
