import { HttpError } from "../error.ts";
import { BodyBytes } from "./body-bytes.ts";
import { bodyDeadlines, type Deadline } from "./deadlines.ts";
import type { BodyLimits, ByteSink, Exchange, HeaderFields } from "./exchange.ts";
import { compressionOf, inflate, tooLarge } from "./inflate.ts";
import { onceLost } from "./lost-connections.ts";
import { clientGone, NodeBody } from "./node-body.ts";
import type { NodeRequest, NodeResponse } from "./node-types.ts";
import { NodeWriter } from "./node-writer.ts";
import { senderNetwork } from "./sender-network.ts";

/**
 * The operating system accepts a response shorter than this, in bytes, even if the client does not
 * read.
 */
const maxTaken = 64 * 1024;
/** How long the rest of a body is read away after a response, in milliseconds. */
const lingerMs = 5000;

/**
 * An {@link Exchange} over the request and the response of `node:http`, without `Request` and
 * `Response` objects in between.
 */
export class NodeExchange implements Exchange {
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  readonly #parsed: unknown;
  readonly #stallMs: number;
  #onDisconnect: (() => void) | undefined;
  #writer: NodeWriter | undefined;
  #body: NodeBody | undefined;
  #bytes: BodyBytes | undefined;
  #answered = false;
  #watched = false;

  /**
   * Creates an exchange from a request and its response.
   *
   * @param parsed - The body, if a framework has already read and parsed it; otherwise `undefined`.
   * @param stallMs - How long a client may leave a complete response unread before its connection
   *   is closed, in milliseconds. Default: `60_000`.
   */
  constructor(request: NodeRequest, response: NodeResponse, parsed?: unknown, stallMs = 60_000) {
    this.#request = request;
    this.#response = response;
    this.#parsed = parsed;
    this.#stallMs = stallMs;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get url(): string {
    return this.#request.originalUrl ?? this.#request.url ?? "/";
  }

  get network(): string | undefined {
    return senderNetwork(this.#request.socket);
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket?.remoteAddress;
  }

  header(name: string): string | undefined {
    const { headers } = this.#request;
    // In HTTP/2 the authority takes the place of the host.
    const value = headers[name] ?? (name === "host" ? headers[":authority"] : undefined);
    return typeof value === "object" ? value.join(", ") : value;
  }

  *headers(): Generator<readonly [name: string, value: string]> {
    for (const name in this.#request.headers) {
      const value = this.header(name);
      // A colon begins the pseudo-headers of HTTP/2.
      if (value !== undefined && !name.startsWith(":")) {
        yield [name, value];
      }
    }
  }

  headerLines(name: string): number | undefined {
    const { rawHeaders } = this.#request;
    if (rawHeaders === undefined) {
      return undefined;
    }
    let lines = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const field = rawHeaders[at];
      lines += field?.length === name.length && field.toLowerCase() === name ? 1 : 0;
    }
    return lines;
  }

  body(limits: BodyLimits): Promise<string | Uint8Array> {
    if (this.#isGone) {
      // The event that would give back what is counted has been and gone.
      return Promise.reject(clientGone());
    }
    this.#watch();
    this.#bytes = new BodyBytes(() => senderNetwork(this.#request.socket));
    if (this.#parsed !== undefined) {
      return this.#count(textOf(this.#parsed), this.#bytes);
    }
    return this.header("content-encoding") === undefined
      ? this.#read(limits, this.#bytes)
      : this.#inflate(limits, this.#bytes);
  }

  onDisconnect(callback: () => void): void {
    this.#onDisconnect = callback;
    if (this.#isGone) {
      // The event that would tell has been and gone.
      queueMicrotask(() => this.#disconnected());
    } else {
      this.#watch();
    }
  }

  respond(status: number, headers: HeaderFields, body?: string): void {
    if (this.#answered || this.#response.headersSent || this.#response.destroyed) {
      return;
    }
    this.#answered = true;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const fields: Record<string, string | number> =
      body === undefined ? { ...headers } : { "content-type": "application/json", ...headers };
    if (status !== 204) {
      fields["content-length"] = length;
    }
    const isEarly = this.#hasUnreadBody;
    if (isEarly) {
      // The rest of the body is not wanted, so the socket cannot carry another request.
      fields["connection"] = "close";
      this.#request.resume();
    }
    try {
      this.#response.writeHead(status, fields);
      // HTTP/2 ends single streams, not connections.
      if (isEarly && length <= maxTaken && this.header(":method") === undefined) {
        this.#endLate(body);
      } else {
        this.#end(body, length);
      }
    } catch (error) {
      // Code of a framework that runs when a response begins may fail. The client would then wait
      // in vain, because no other response follows.
      this.#response.destroy();
      throw error;
    }
  }

  open(status: number, headers: HeaderFields): ByteSink {
    if (this.#answered || this.#response.headersSent) {
      throw new HttpError("INVALID_STATE", "Cannot respond: a response was already sent.");
    }
    const response = this.#response;
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    this.#answered = true;
    this.#watch();
    // Without a listener a write after the client has gone would end the process.
    response.on("error", ignore);
    this.#forgetBody();
    this.#writer = new NodeWriter(this.#request, response, this.#stallMs);
    return this.#writer;
  }

  /** Frees what reading the body has left behind: the response may last for hours. */
  #forgetBody(): void {
    if (this.#body?.isSettled === true) {
      this.#body.leave(this.#request);
      this.#body = undefined;
    }
    if (this.#body === undefined && this.#bytes?.isCounted === false) {
      this.#bytes = undefined;
    }
  }

  #end(body: string | undefined, length: number): void {
    const response = this.#response;
    if (body === undefined) {
      response.end();
      return;
    }
    // Text of one byte for each character need not be encoded, only copied.
    const encoding = body.length === length ? "latin1" : "utf8";
    if (length <= maxTaken) {
      response.end(body, encoding);
      return;
    }
    response.on("error", ignore);
    this.#watch();
    this.#writer = new NodeWriter(this.#request, response, this.#stallMs);
    this.#writer.endWith(Buffer.from(body, encoding));
  }

  /**
   * Sends a whole response, and ends it when the whole body has arrived, or after a while. The end
   * closes the connection, and a client that still sends would then lose the response.
   *
   * @source RFC 9112 §9.6
   */
  #endLate(body: string | undefined): void {
    const request = this.#request;
    const response = this.#response;
    const end = (): void => {
      bodyDeadlines.delete(rest);
      response.end();
    };
    const rest: Deadline = { place: -1, at: performance.now() + lingerMs, expire: end };
    response.on("error", ignore);
    response.on("close", () => bodyDeadlines.delete(rest));
    request.on("end", end);
    bodyDeadlines.add(rest);
    if (body === undefined) {
      response.flushHeaders();
    } else {
      response.write(body);
    }
  }

  #count(body: string | Uint8Array, bytes: BodyBytes): Promise<string | Uint8Array> {
    try {
      bytes.grow(body.length);
      return Promise.resolve(body);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #read(limits: BodyLimits, bytes: BodyBytes): Promise<Uint8Array> {
    if (this.#request.readableEnded === true) {
      // Its end would be waited for in vain.
      const text =
        "The body was already read, for example by a framework. Pass the parsed body (parsedBody).";
      return Promise.reject(new HttpError("INVALID_STATE", text));
    }
    if (Number(this.header("content-length") ?? 0) > limits.maxBytes) {
      return Promise.reject(tooLarge(limits.maxBytes));
    }
    this.#body = new NodeBody(this.#request, limits, bytes);
    return this.#body.whole();
  }

  async #inflate(limits: BodyLimits, bytes: BodyBytes): Promise<Uint8Array> {
    const format = compressionOf(this.header("content-encoding"));
    const raw = await this.#read(limits, bytes);
    return format === undefined ? raw : inflate(raw, format, limits.maxBytes, bytes);
  }

  /** Even a request without a body is complete only after its first turn of the event loop. */
  get #hasUnreadBody(): boolean {
    return (
      !this.#request.complete &&
      this.#parsed === undefined &&
      (this.header("transfer-encoding") !== undefined || Number(this.header("content-length") ?? 0) > 0)
    );
  }

  #watch(): void {
    if (this.#watched) {
      return;
    }
    this.#watched = true;
    const response = this.#response;
    const { socket } = this.#request;
    const forget =
      response.socket === null && socket
        ? onceLost(socket, () => {
            response.destroy();
            // For others who wait for the end of the response, too.
            response.emit?.("close");
          })
        : undefined;
    response.on("close", () => {
      forget?.();
      this.#writer?.stop();
      this.#body?.disconnected();
      this.#bytes?.release();
      // HTTP/2 calls a response finished that was cut off.
      if (!response.writableFinished || response.writableEnded === false) {
        this.#disconnected();
      }
    });
  }

  /** Whether the response was closed, or waits for earlier responses on a lost connection. */
  get #isGone(): boolean {
    const { destroyed, socket } = this.#response;
    return destroyed || (socket === null && this.#request.socket?.destroyed === true);
  }

  #disconnected(): void {
    const callback = this.#onDisconnect;
    this.#onDisconnect = undefined;
    callback?.();
  }
}

function ignore(): void {}

/** A body that was parsed already, back in the form that it came in. */
function textOf(parsed: unknown): string | Uint8Array {
  return parsed instanceof Uint8Array || typeof parsed === "string" ? parsed : JSON.stringify(parsed);
}
