/**
 * Reads messages from streams of bytes and from bodies. The code for unusual input, such as a
 * batch, and for refusals is loaded when such input arrives.
 *
 * @packageDocumentation
 */

export { createStreamDecoder, type StreamDecoder } from "./codec/stream-decoder.ts";
export { ndjsonConnection, type ByteStream } from "./ndjson/connection.ts";
