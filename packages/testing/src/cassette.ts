/**
 * Recorded conversations: cassettes are written while a program talks, read, and played back to
 * clients.
 *
 * A cassette has one JSON value on each line: first a {@link CassetteHeader}, then a
 * {@link CassetteEntry} for each message, error and end of a connection.
 *
 * @packageDocumentation
 */

export { hasToken, redactor, type Redaction } from "@tenon/http/redact";

export type { Cassette, CassetteEntry, CassetteHeader, CassetteOrigin } from "./cassette/format.ts";
export { parseCassette } from "./cassette/parse.ts";
export { recordTransport } from "./cassette/record.ts";
export {
  createRecorder,
  type CassetteRecorder,
  type ConnectionRecorder,
  type RecordOptions,
} from "./cassette/recorder.ts";
export { replayCassette, type ReplayCassetteOptions } from "./cassette/replay.ts";
