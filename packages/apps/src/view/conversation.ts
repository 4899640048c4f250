import { isRecord } from "@tenon/base";
import {
  connectionClosed,
  ErrorCode,
  isRpcError,
  LocalError,
  RpcError,
  type Connection,
  type ErrorObject,
  type Incoming,
  type Request,
  type RequestId,
} from "@tenon/jsonrpc2/core";

/** The params of a message, an object. */
export type Params = Readonly<Record<string, unknown>>;

/** Options of a request that a view sends. */
export interface ViewRequestOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum time to wait for the response, in milliseconds. Default: `limits.timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** Handles what the host sends. */
export interface ConversationHandlers {
  request(method: string, params: Params, signal: AbortSignal): unknown;
  notification(method: string, params: Params): void;
  onError(error: unknown): void;
}

/** Numbers that a conversation does not exceed. */
interface ConversationLimits {
  readonly maxPending: number;
  readonly maxInFlight: number;
  readonly timeoutMs: number;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * JSON-RPC over a connection, in a tenth of the bytes of `Peer`: without batches, interceptors and
 * back pressure, because a view has one trusted remote peer.
 */
export class Conversation {
  /** Resolves when the connection has ended. Never rejects. */
  readonly closed: Promise<void>;
  readonly #connection: Connection;
  readonly #handlers: ConversationHandlers;
  readonly #limits: ConversationLimits;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #running = new Map<RequestId, AbortController>();
  #lastId = 0;
  #ended: LocalError | undefined;

  constructor(connection: Connection, handlers: ConversationHandlers, limits: ConversationLimits) {
    this.#connection = connection;
    this.#handlers = handlers;
    this.#limits = limits;
    this.closed = this.#readAll();
  }

  /** Sends a request and returns its result, an object. */
  call(method: string, params?: object, options: ViewRequestOptions = {}): Promise<Params> {
    const { signal, timeoutMs = this.#limits.timeoutMs } = options;
    return new Promise<Params>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#ended !== undefined) {
        throw this.#ended;
      }
      if (this.#pending.size >= this.#limits.maxPending) {
        throw new LocalError("LIMIT_EXCEEDED", `${this.#pending.size} requests wait for the host already.`);
      }
      const id = ++this.#lastId;
      const end = (): void => {
        this.#pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error);
      };
      const cancel = (error: unknown, reason: string): void => {
        fail(error);
        this.#send("notifications/cancelled", { requestId: id, reason });
      };
      const abort = (): void => {
        cancel(signal?.reason, "aborted");
      };
      // Platforms treat longer delays as 1 ms.
      const timer = setTimeout(
        () => {
          const message = `The host did not respond to ${method} within ${timeoutMs} ms.`;
          cancel(new LocalError("TIMEOUT", message), "timed out");
        },
        Math.min(timeoutMs, 0x7fff_ffff),
      );
      signal?.addEventListener("abort", abort);
      this.#pending.set(id, {
        resolve: (result) => {
          end();
          resolve(isRecord(result) ? result : {});
        },
        reject: fail,
      });
      this.#connection.write({ jsonrpc: "2.0", id, method, params: params ?? {} }).catch(fail);
    });
  }

  /** Sends a notification. Resolves when the transport has accepted it. */
  async notify(method: string, params: object = {}): Promise<void> {
    await this.#connection.write({ jsonrpc: "2.0", method, params });
  }

  /** Closes the connection. Pending requests reject. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  #send(method: string, params: object): void {
    this.notify(method, params).catch(this.#handlers.onError);
  }

  async #readAll(): Promise<void> {
    let cause: unknown;
    try {
      for (;;) {
        const message = await this.#connection.read();
        if (message === undefined) {
          break;
        }
        this.#take(message);
      }
    } catch (error) {
      cause = error;
      this.#handlers.onError(error);
    }
    this.#ended = connectionClosed(undefined, { cause });
    this.#pending.forEach(({ reject }) => {
      reject(this.#ended);
    });
    this.#running.forEach((controller) => {
      controller.abort(this.#ended);
    });
    await this.#connection.close().catch(() => undefined);
  }

  #take(message: Incoming): void {
    if ("method" in message) {
      if ("id" in message) {
        void this.#serve(message);
        return;
      }
      const params = isRecord(message.params) ? message.params : {};
      if (message.method === "notifications/cancelled") {
        this.#running.get(params["requestId"] as RequestId)?.abort();
      } else {
        this.#handlers.notification(message.method, params);
      }
    } else if ("result" in message) {
      this.#pending.get(message.id)?.resolve(message.result);
    } else if ("error" in message) {
      const { code, message: text, data } = message.error;
      const pending = this.#pending.get(message.id ?? "");
      pending?.reject(new RpcError(code, text, { data }));
    } else {
      const problem = "malformed" in message ? message.malformed.message : "a batch";
      this.#handlers.onError(new RpcError(ErrorCode.InvalidRequest, `The host sent ${problem}.`));
    }
  }

  async #serve({ id, method, params }: Request): Promise<void> {
    const controller = new AbortController();
    let outcome: { readonly result: unknown } | { readonly error: ErrorObject };
    if (this.#running.has(id) || this.#running.size >= this.#limits.maxInFlight) {
      outcome = { error: { code: ErrorCode.InternalError, message: "Too many requests are in flight." } };
    } else {
      this.#running.set(id, controller);
      try {
        const result: unknown = await this.#handlers.request(
          method,
          isRecord(params) ? params : {},
          controller.signal,
        );
        outcome = { result };
      } catch (error) {
        outcome = { error: this.#errorObject(error) };
      }
      this.#running.delete(id);
    }
    if (!controller.signal.aborted) {
      await this.#connection.write({ jsonrpc: "2.0", id, ...outcome }).catch(this.#handlers.onError);
    }
  }

  #errorObject(error: unknown): ErrorObject {
    if (isRpcError(error)) {
      const { code, message, data } = error;
      return data === undefined ? { code, message } : { code, message, data };
    }
    this.#handlers.onError(error);
    return { code: ErrorCode.InternalError, message: "Internal error" };
  }
}
