/**
 * Decodes single frames, for tools and framings of their own. Transports use `createStreamDecoder`
 * of `@tenon/jsonrpc2/stream`, which loads the code for unusual input when it arrives.
 *
 * @packageDocumentation
 */

export { createDecoder, decode } from "./codec/decode.ts";
