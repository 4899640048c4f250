import { readLimits } from "@tenon/base";

import type { Incoming } from "../message.ts";
import { decodeLimits, type DecodeLimits } from "./limits.ts";
import type * as unusualModule from "./unusual.lazy.ts";
import { decodeUsual } from "./usual.ts";

/** Decodes one frame. A promise is returned if code has to be loaded. */
export type StreamDecoder = (input: string | Uint8Array) => Incoming | Promise<Incoming>;

let loaded: typeof unusualModule | undefined;

/**
 * Calls `work` with the code that decodes unusual input and refuses invalid input.
 *
 * @returns The value of `work`, or a promise of it if the code had to be loaded.
 */
export function unusual<T>(work: (module: typeof unusualModule) => T): T | Promise<T> {
  return loaded === undefined ? load().then(work) : work(loaded);
}

async function load(): Promise<typeof unusualModule> {
  loaded = await import("./unusual.lazy.ts");
  return loaded;
}

/**
 * Returns a function that decodes like `decode`, for receivers that can wait. The code for batches,
 * unusual notations and refusals is loaded when such input arrives. To keep messages in order, wait
 * for each result before you decode the next frame.
 *
 * @throws `TypeError` for limits that do not exist or are out of range.
 */
export function createStreamDecoder(limits?: DecodeLimits): StreamDecoder {
  const resolved = readLimits(limits, decodeLimits);
  return (input) =>
    decodeUsual(input, resolved) ?? unusual(({ decodeUnusual }) => decodeUnusual(input, resolved));
}
