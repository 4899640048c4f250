import { kindOf } from "@tenon/base";

import { HttpError } from "../error.ts";
import { abortSignalOf } from "./request-signal.ts";
import { noteFailure, type Wire, type WireResponse } from "./wire.ts";

/** The required part of `fetch`. */
export type FetchLike = (input: URL, init: RequestInit) => Promise<Response>;

/**
 * Codes of the errors for a connection that failed to open. Runtimes other than Node report only
 * that a `fetch` failed.
 */
const unconnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The wires of functions that were made of one. */
export const wires: WeakMap<FetchLike, Wire> = /* @__PURE__ */ new WeakMap();

/** A {@link Wire} over any `fetch`. */
export function fetchWire(fetch: FetchLike): Wire {
  return wires.get(fetch) ?? wireOver(fetch);
}

function wireOver(fetch: FetchLike): Wire {
  return async ({ url, method, headers, body, signal }) => {
    try {
      const response = await fetch(url, {
        method,
        // Requests may share their headers, and a user's `fetch` may change what it receives.
        headers: { ...headers },
        signal: abortSignalOf(signal),
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      });
      checkResponse(response);
      return wrap(response);
    } catch (error) {
      const { code } = (error instanceof Error ? (error.cause ?? error) : {}) as { readonly code?: unknown };
      noteFailure(error, { reused: false, connected: !unconnected.has(code) });
      throw error;
    }
  };
}

/** @throws If a `fetch` of a user returned something else. */
function checkResponse(response: unknown): void {
  const { status, headers, body } = (response ?? {}) as { [name in keyof Response]?: unknown };
  const isReadable = body === null || body === undefined || hasMethod(body, "getReader");
  if (typeof status !== "number" || !hasMethod(headers, "get") || !isReadable) {
    const got = kindOf(response);
    throw new HttpError(
      "INVALID_STATE",
      `The fetch option must resolve to a Response; got ${got === "object" ? "an object without its status, headers or body" : got}.`,
    );
  }
}

function hasMethod(value: unknown, name: string): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Record<string, unknown>)[name] === "function"
  );
}

function wrap(response: Response): WireResponse {
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    body: iterate(response.body),
    discard: () => void response.body?.cancel().catch(() => {}),
  };
}

const done: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/**
 * Not every platform has async iteration of streams, and where there is one it cannot be ended
 * while it waits.
 */
function iterate(body: ReadableStream<Uint8Array> | null): AsyncIterableIterator<Uint8Array, undefined> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    async next() {
      reader ??= body?.getReader();
      const next = await reader?.read();
      return next === undefined || next.done ? done : { done: false, value: next.value };
    },
    return() {
      reader ??= body?.getReader();
      reader?.cancel().catch(() => {});
      return Promise.resolve(done);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
