/**
 * OpenTelemetry for clients and servers of the Model Context Protocol: spans, metrics and trace
 * context, by the semantic conventions for MCP.
 *
 * @packageDocumentation
 */

export { instrument } from "./instrument.ts";
export { instrumentHandler } from "./handler.ts";
export { instrumentStores } from "./stores.ts";
export type {
  Capture,
  CaptureOptions,
  Captured,
  InstrumentHandlerOptions,
  InstrumentOptions,
  Instrumentation,
  InstrumentStoresOptions,
  MetricLimits,
  ReportedSession,
} from "./options.ts";
