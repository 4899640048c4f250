/**
 * OpenTelemetry for clients and servers of the Model Context Protocol: spans, metrics and trace
 * context, by the semantic conventions for MCP.
 *
 * @packageDocumentation
 */

export { instrument } from "./instrument.ts";
export { instrumentStores } from "./stores.ts";
export type {
  Capture,
  CaptureOptions,
  Captured,
  InstrumentOptions,
  Instrumentation,
  InstrumentStoresOptions,
  MetricLimits,
  ReportedSession,
} from "./options.ts";
