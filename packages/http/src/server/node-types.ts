import type { RequestConnection } from "./lost-connections.ts";

/**
 * The required part of a `node:http` request. `IncomingMessage` has it, and the requests of
 * frameworks that extend it.
 */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The target as it was received, where a framework has taken the path of a router off `url`. */
  readonly originalUrl?: string | undefined;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /**
   * Names and values in turn, as received. Where a name comes twice, `headers` may have the first
   * value only.
   */
  readonly rawHeaders?: readonly string[];
  readonly complete: boolean;
  /** The connection of the request. */
  readonly socket?: RequestConnection | null | undefined;
  /** True once the body has been read to its end. */
  readonly readableEnded?: boolean;
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  off?(event: "data" | "end", listener: (chunk: Uint8Array) => void): unknown;
  resume(): unknown;
}

/** The required part of a `node:http` response. `ServerResponse` has it. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableLength: number;
  readonly writableFinished: boolean;
  /** Whether `end` was called. */
  readonly writableEnded?: boolean;
  /** `null` while the response waits for earlier responses on its connection. */
  readonly socket?: object | null | undefined;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  end(chunk: string, encoding: "latin1" | "utf8"): unknown;
  destroy(): unknown;
  emit?(event: "close"): unknown;
  on(event: "close" | "finish", listener: () => void): unknown;
  once(event: "drain", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}
