import type { ModelRequest, ModelResponse } from "@tenon/inspector";

/** The requests and responses of one vendor's API. */
export interface Vendor {
  /** The variables that may hold the key, the first of them before the others. */
  readonly keys: readonly string[];
  /** The variable that may hold the base URL, and its default. */
  readonly base: readonly [variable: string, url: string];
  /** The URL, the headers with the key, and the body of a request. */
  request(
    this: void,
    model: string,
    key: string | undefined,
    request: ModelRequest,
  ): {
    /** Below the base URL, with `/` at its start. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  /** Reads a response. Parts that are missing count as empty. */
  response(this: void, json: Readonly<Record<string, unknown>>, request: ModelRequest): ModelResponse;
}
