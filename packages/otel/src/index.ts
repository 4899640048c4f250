/**
 * OpenTelemetry for clients and servers of the Model Context Protocol: spans, metrics and trace
 * context, by the semantic conventions for MCP.
 *
 * @packageDocumentation
 */

export { instrument } from "./instrument.ts";
export type {
  Capture,
  CaptureOptions,
  Captured,
  InstrumentOptions,
  Instrumentation,
  ReportedSession,
} from "./options.ts";
