import { HttpError } from "../error.ts";
import type { BodyLimits, ByteSink, Exchange, HeaderFields } from "./exchange.ts";
import { compressionOf, inflate, tooLarge } from "./inflate.ts";
import { NodeBody } from "./node-body.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";

/** An {@link Exchange} over the request and the response of `node:http`, without `Request` and `Response` objects in between. */
export class NodeExchange implements Exchange {
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  readonly #parsed: unknown;
  #onDisconnect: (() => void) | undefined;
  #onDrain: (() => void) | undefined;
  #body: NodeBody | undefined;
  #answered = false;
  #watched = false;

  /**
   * An exchange over a request and its response.
   *
   * @param parsed - The body, if a framework has read and parsed it already; `undefined` if it is still to be read.
   */
  constructor(request: NodeRequest, response: NodeResponse, parsed?: unknown) {
    this.#request = request;
    this.#response = response;
    this.#parsed = parsed;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get url(): string {
    return this.#request.url ?? "/";
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  body(limits: BodyLimits): Promise<string | Uint8Array> {
    if (this.#parsed !== undefined) {
      return Promise.resolve(textOf(this.#parsed));
    }
    return this.header("content-encoding") === undefined ? this.#read(limits) : this.#inflate(limits);
  }

  onDisconnect(callback: () => void): void {
    this.#onDisconnect = callback;
    this.#watch();
  }

  respond(status: number, headers: HeaderFields, body?: string): void {
    if (this.#answered || this.#response.headersSent || this.#response.destroyed) {
      return;
    }
    this.#answered = true;
    const fields: Record<string, string | number> =
      body === undefined
        ? { ...headers, ...(status === 204 ? {} : { "content-length": 0 }) }
        : { "content-type": "application/json", ...headers, "content-length": Buffer.byteLength(body) };
    if (!this.#request.complete && this.#parsed === undefined) {
      // The rest of the body is not wanted, so the socket cannot carry another request.
      fields["connection"] = "close";
      this.#request.resume();
    }
    this.#response.writeHead(status, fields);
    this.#response.end(body);
  }

  open(status: number, headers: HeaderFields): ByteSink {
    if (this.#answered || this.#response.headersSent) {
      throw new HttpError("INVALID_STATE", "The request has been answered already.");
    }
    this.#answered = true;
    this.#watch();
    const response = this.#response;
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    // Without a listener a write after the client has gone would end the process.
    response.on("error", () => {});
    response.on("drain", () => this.#drained());
    return {
      get buffered() {
        return response.writableLength;
      },
      write: (text) => void response.write(text),
      onDrain: (callback) => {
        this.#onDrain = callback;
      },
      end: () => void response.end(),
      abort: () => void response.destroy(),
    };
  }

  #read(limits: BodyLimits): Promise<Uint8Array> {
    if (Number(this.header("content-length") ?? 0) > limits.maxBytes) {
      return Promise.reject(tooLarge(limits.maxBytes));
    }
    this.#watch();
    this.#body = new NodeBody(this.#request, limits);
    return this.#body.whole;
  }

  async #inflate(limits: BodyLimits): Promise<Uint8Array> {
    const format = compressionOf(this.header("content-encoding"));
    const raw = await this.#read(limits);
    return format === undefined ? raw : inflate(raw, format, limits.maxBytes);
  }

  #watch(): void {
    if (this.#watched) {
      return;
    }
    this.#watched = true;
    this.#response.on("close", () => {
      this.#drained();
      this.#body?.disconnected();
      if (!this.#response.writableFinished) {
        const callback = this.#onDisconnect;
        this.#onDisconnect = undefined;
        callback?.();
      }
    });
  }

  #drained(): void {
    const callback = this.#onDrain;
    this.#onDrain = undefined;
    callback?.();
  }
}

/** A body that was parsed already, back in the form that it came in. */
function textOf(parsed: unknown): string | Uint8Array {
  return parsed instanceof Uint8Array || typeof parsed === "string" ? parsed : JSON.stringify(parsed);
}
