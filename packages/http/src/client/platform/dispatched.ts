import type { Dispatcher } from "undici";
import errors from "undici/lib/core/errors.js";

import type { RequestSignal } from "../request-signal.ts";
import { noteFailure, type WireResponse } from "../wire.ts";

/** With more than this unread, in bytes, nothing more is taken from the socket. */
const maxUnread = 64 * 1024;
/** A longer rest than this, in bytes, is not read away: giving the connection up costs less. */
const maxDiscarded = 64 * 1024;
/** A rest that takes longer than this, in milliseconds, is not waited for either. */
const discardMs = 1000;

/** Whether a response starts like a TLS alert. */
function isTlsAlert(error: Error): boolean {
  const { data } = error as { readonly data?: unknown };
  return typeof data === "string" && data.charCodeAt(0) === 0x15;
}

interface Reader {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
}

const done: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/**
 * A request that was passed to undici, and its response. They are one object because each part
 * has few fields.
 */
export class Dispatched
  implements Dispatcher.DispatchHandler, WireResponse, AsyncIterableIterator<Uint8Array, undefined>
{
  status = 0;
  readonly body: this = this;
  /** Settles when the headers of the response have arrived, or never will. */
  readonly opened: Promise<WireResponse>;
  readonly #signal: RequestSignal;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  #open:
    | { resolve(response: WireResponse | Promise<WireResponse>): void; reject(error: unknown): void }
    | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  #discarded = -1;
  #patience: ReturnType<typeof setTimeout> | undefined;
  #reader: Reader | undefined;
  #failure: { readonly error: unknown } | undefined;
  #ended = false;

  /** @param signal - Not aborted. */
  constructor(signal: RequestSignal) {
    this.#signal = signal;
    this.opened = new Promise((resolve, reject) => {
      this.#open = { resolve, reject };
    });
    signal.addEventListener("abort", this, { once: true });
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  fields(): Readonly<Record<string, string | string[] | undefined>> {
    return this.#headers;
  }

  take(): readonly Uint8Array[] | undefined {
    if (!this.#ended || this.#failure !== undefined) {
      return undefined;
    }
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#unread = 0;
    return chunks;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#unread -= value.length;
      if (this.#unread <= maxUnread) {
        this.#controller?.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure.error);
    }
    return this.#ended
      ? Promise.resolve(done)
      : new Promise((resolve, reject) => {
          this.#reader = { resolve, reject };
        });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#giveUp();
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  discard(): void {
    this.#discarded = 0;
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#unread = 0;
    for (const chunk of chunks) {
      this.#throwAway(chunk);
    }
    if (!this.#ended) {
      this.#patience = setTimeout(() => this.#giveUp(), discardMs);
      this.#patience.unref();
      this.#controller?.resume();
    }
  }

  /** The signal has fired. */
  handleEvent(): void {
    this.#fail(this.#signal.reason);
    this.#controller?.abort(this.#signal.reason as Error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) {
      controller.abort(this.#failure.error as Error);
    }
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status >= 200) {
      this.status = status;
      this.#headers = headers;
      const encoding = this.header("content-encoding");
      this.#open?.resolve(encoding === undefined ? this : this.#decoded(encoding));
      this.#open = undefined;
    }
  }

  async #decoded(encoding: string): Promise<WireResponse> {
    const { decoded } = await import("./decoded.lazy.ts");
    return decoded(this, encoding);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#discarded >= 0) {
      this.#throwAway(chunk);
      return;
    }
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > maxUnread) {
      controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#finish();
    this.#reader?.resolve(done);
    this.#reader = undefined;
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const received = error instanceof errors.SocketError ? (error.socket?.bytesRead ?? 0) : 0;
    if (error instanceof errors.HTTPParserError && isTlsAlert(error)) {
      const text = "The port speaks https, not http: correct the URL.";
      noteFailure(error, { reused: false, connected: true, text });
    }
    if (received > 0) {
      noteFailure(error, { reused: true, connected: true });
    }
    this.#fail(error);
  }

  #throwAway({ length }: Uint8Array): void {
    this.#discarded += length;
    if (this.#discarded > maxDiscarded) {
      this.#giveUp();
    }
  }

  #giveUp(): void {
    if (!this.#ended) {
      this.#fail(new errors.RequestAbortedError());
      this.#controller?.abort(new errors.RequestAbortedError());
    }
  }

  #fail(error: unknown): void {
    if (this.#ended) {
      return;
    }
    this.#finish();
    this.#failure = { error };
    this.#open?.reject(error);
    this.#open = undefined;
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  #finish(): void {
    this.#ended = true;
    clearTimeout(this.#patience);
    this.#signal.removeEventListener("abort", this);
  }
}
