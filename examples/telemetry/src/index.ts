export { startCollector, type Collector } from "./collector.ts";
export { startTelemetry } from "./telemetry.ts";
