import { concat } from "../concat.ts";
import { HttpError } from "../error.ts";
import { BodyBytes } from "./body-bytes.ts";
import type { BodyLimits, ByteSink, Exchange, HeaderFields } from "./exchange.ts";
import { compressionOf, inflate, tooLarge } from "./inflate.ts";
import { timerDelay } from "./timer-delay.ts";

const encoder = /* @__PURE__ */ new TextEncoder();

/** An {@link Exchange} over a web-standard `Request`. It returns the response as a `Response`. */
export class WebExchange implements Exchange {
  /** Resolves when the response is complete or has started. */
  readonly response: Promise<Response>;
  readonly remoteAddress: string | undefined;
  readonly #request: Request;
  #resolve: (response: Response) => void = () => {};
  #answered = false;
  #complete = false;
  #gone = false;
  readonly #bytes = new BodyBytes();
  #onDisconnect: (() => void) | undefined;

  /**
   * Begins an exchange.
   *
   * @param remoteAddress - The address of the client, if it is known.
   */
  constructor(request: Request, remoteAddress?: string) {
    this.#request = request;
    this.remoteAddress = remoteAddress;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (request.signal.aborted) {
      this.#disconnected();
    } else {
      request.signal.addEventListener("abort", () => this.#disconnected(), { once: true });
    }
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    // Runtimes that make the request themselves know the host from the URL alone.
    return value ?? (name === "host" ? new URL(this.#request.url).host : undefined);
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    return this.#request.headers;
  }

  async body({ maxBytes, timeoutMs }: BodyLimits): Promise<string | Uint8Array> {
    const format = compressionOf(this.header("content-encoding"));
    if (Number(this.header("content-length") ?? 0) > maxBytes) {
      throw tooLarge(maxBytes);
    }
    const { body, bodyUsed } = this.#request;
    if (body === null) {
      return "";
    }
    if (bodyUsed || body.locked) {
      const text = "The body was already read. Pass a clone of the request.";
      throw new HttpError("INVALID_STATE", text);
    }
    const raw = await this.#read(body.getReader(), maxBytes, timeoutMs);
    return format === undefined ? raw : inflate(raw, format, maxBytes, this.#bytes);
  }

  onDisconnect(callback: () => void): void {
    this.#onDisconnect = callback;
    if (this.#gone) {
      queueMicrotask(() => this.#tellGone());
    }
  }

  respond(status: number, headers: HeaderFields, body?: string): void {
    if (this.#answered) {
      return;
    }
    this.#answered = true;
    this.#finish();
    try {
      this.#resolve(
        body === undefined
          ? new Response(null, { status, headers })
          : new Response(body, { status, headers: { "content-type": "application/json", ...headers } }),
      );
    } catch (error) {
      // Without this response the client would wait in vain, because no other response follows.
      this.#resolve(new Response(null, { status: 500 }));
      throw error;
    }
  }

  open(status: number, headers: HeaderFields): ByteSink {
    if (this.#answered) {
      throw new HttpError("INVALID_STATE", "Cannot respond: a response was already sent.");
    }
    const queue = new CodeUnitQueue(() => {
      this.#disconnected();
    });
    this.#resolve(new Response(queue.stream, { status, headers }));
    this.#answered = true;
    return {
      get buffered() {
        return queue.buffered;
      },
      write: (text) => queue.write(text),
      onDrain: (callback) => {
        queue.onDrain = callback;
      },
      end: () => {
        this.#finish();
        queue.end();
      },
      abort: () => {
        queue.abort();
        queueMicrotask(() => this.#disconnected());
      },
    };
  }

  #finish(): void {
    this.#complete = true;
    this.#bytes.release();
  }

  #disconnected(): void {
    if (!this.#complete) {
      this.#finish();
      this.#gone = true;
      this.#tellGone();
      // The client never sees this response, but the runtime waits for a response and must not
      // wait indefinitely. After another response it has no effect.
      this.#answered = true;
      this.#resolve(new Response(null, { status: 499 }));
    }
  }

  #tellGone(): void {
    const callback = this.#onDisconnect;
    this.#onDisconnect = undefined;
    callback?.();
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    maxBytes: number,
    timeoutMs: number,
  ): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let failure: HttpError | undefined;
    const stop = (error: HttpError): void => {
      failure = error;
      abandon(reader);
    };
    const timer = setTimeout(() => {
      stop(new HttpError("BODY_TIMEOUT", `The body did not arrive within ${timeoutMs} ms.`));
    }, timerDelay(timeoutMs));
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (failure !== undefined) {
          throw failure;
        }
        if (done) {
          return concat(chunks, size);
        }
        size += value.length;
        if (size > maxBytes) {
          throw tooLarge(maxBytes);
        }
        this.#bytes.grow(size);
        chunks.push(value);
      }
    } catch (cause) {
      abandon(reader);
      throw cause instanceof HttpError
        ? cause
        : new HttpError("BODY_INCOMPLETE", "The body could not be read.", { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

function abandon(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => {});
}

/** A readable stream that knows how much of it has not been read. */
class CodeUnitQueue {
  readonly stream: ReadableStream<Uint8Array>;
  onDrain: (() => void) | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #closed = false;

  constructor(onCancel: () => void) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#drained(),
        cancel: () => {
          this.#closed = true;
          this.#drained();
          onCancel();
        },
      },
      { highWaterMark: 1, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get buffered(): number {
    return this.#closed ? 0 : 1 - (this.#controller?.desiredSize ?? 1);
  }

  write(text: string): void {
    if (!this.#closed) {
      this.#controller?.enqueue(encoder.encode(text));
    }
  }

  end(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#controller?.close();
    }
  }

  abort(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#controller?.error(new HttpError("STALLED", "The response was aborted."));
    }
  }

  #drained(): void {
    const callback = this.onDrain;
    this.onDrain = undefined;
    callback?.();
  }
}
