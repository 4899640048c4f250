import type { Clock } from "@tenon/base";
import { isRpcError, type RequestId } from "@tenon/jsonrpc2/core";
import type { ClientSession, RequestOptions } from "@tenon/mcp";

/** Time in which a server may still request input for a cancelled request, in milliseconds. */
const lateMs = 60_000;
/** Maximum number of cancelled requests. Beyond it, the oldest is forgotten. */
const maxCancelled = 1_000;

/** A cancelled request that has got no response. */
interface Cancelled {
  /** The key of its caller. */
  readonly caller: unknown;
  readonly forget: () => void;
}

/**
 * The cancelled requests of a connection to a legacy server. A server may ignore a cancellation and
 * request input later, and servers that obey send no response, so a request is noted until its
 * response, for a minute at most.
 */
export class CancelledRequests {
  readonly #clock: Clock;
  readonly #all = new Set<Cancelled>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many there are. */
  get size(): number {
    return this.#all.size;
  }

  /** Whether one of them belongs to another caller. */
  hasOther(caller: unknown): boolean {
    return [...this.#all].some((one) => one.caller !== caller);
  }

  /** Sends a request, and notes it if it is cancelled or times out. */
  async send(
    session: ClientSession,
    caller: unknown,
    { method, params }: { readonly method: string; readonly params: object },
    { signal, onId, onProgress, ...options }: RequestOptions & { readonly signal: AbortSignal },
  ): Promise<object> {
    signal.throwIfAborted();
    const unsent = new AbortController();
    let requestId: RequestId | undefined;
    let noted: Cancelled | undefined;
    const answered = session
      .request(method as "tools/call", params as never, {
        ...options,
        onProgress: (progress) => {
          if (!signal.aborted) {
            onProgress?.(progress);
          }
        },
        signal: unsent.signal,
        onId: (id) => {
          requestId = id;
          onId?.(id);
        },
      })
      .then(
        (result) => {
          noted?.forget();
          return result;
        },
        (error: unknown) => {
          if (isRpcError(error)) {
            noted?.forget();
          } else if (requestId !== undefined) {
            // The server may still respond after a timeout.
            noted ??= this.#note(caller);
          }
          throw error;
        },
      );
    let giveUp = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => {
        if (requestId === undefined) {
          unsent.abort(signal.reason);
        } else {
          noted = this.#note(caller, () => unsent.abort(signal.reason));
          const reason = signal.reason instanceof Error ? { reason: signal.reason.message } : {};
          session.notify("notifications/cancelled", { requestId, ...reason }).catch(() => {});
        }
        reject(signal.reason);
      };
    });
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) {
      // `onId` may have cancelled it.
      giveUp();
    }
    try {
      return await Promise.race([answered, givenUp]);
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #note(caller: unknown, onForget: () => void = () => {}): Cancelled {
    const forget = (): void => {
      if (this.#all.delete(one)) {
        this.#clock.clearTimeout(timer);
        onForget();
      }
    };
    const one: Cancelled = { caller, forget };
    const timer = this.#clock.setTimeout(forget, lateMs, false);
    const [oldest] = this.#all;
    if (this.#all.size >= maxCancelled) {
      oldest?.forget();
    }
    this.#all.add(one);
    return one;
  }
}
