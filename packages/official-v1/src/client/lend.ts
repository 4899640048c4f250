import {
  connectionClosed,
  isBatch,
  isMalformed,
  isMany,
  isRequest,
  isResponse,
  type Connection,
  type Incoming,
  type Message,
} from "@tenon/jsonrpc2/core";
import { MetaKey, metaOf } from "@tenon/protocol";

/**
 * Added to the ids of requests on a lent connection, so that a late response cannot settle a later
 * request of its owner.
 */
const offset = 1_000_000_000;

/** A connection that its owner gets back. */
export interface Returned extends Connection {
  /** Whether the connection had already ended. */
  readonly isEnded: boolean;
}

/**
 * Lends a connection. The borrower cannot close it.
 *
 * @returns `back` ends the loan. It loses no message, except responses to requests of the borrower.
 */
export function lend(inner: Connection): { readonly lent: Connection; back(): Returned } {
  let reading: Promise<Incoming | undefined> | undefined;
  let isLent = true;
  let isEnded = false;
  /** Ends the read that waits. A promise of the whole loan would keep every message. */
  let interrupt: (() => void) | undefined;
  /** The listens without a response: the server would send to them forever. */
  const listens = new Set<number>();
  const close = (): Promise<void> => {
    isLent = false;
    interrupt?.();
    return Promise.resolve();
  };
  const lent: Connection = {
    async read() {
      if (!isLent) {
        return undefined;
      }
      const next = (reading ??= inner.read());
      const message = await new Promise<Incoming | undefined>((resolve, reject) => {
        interrupt = () => resolve(undefined);
        next.then(resolve, reject);
      });
      interrupt = undefined;
      if (!isLent) {
        return undefined;
      }
      reading = undefined;
      isEnded = message === undefined;
      const received = message && shifted(message);
      if (received !== undefined && !isBatch(received) && !isMalformed(received) && isResponse(received)) {
        listens.delete(received.id as number);
      }
      return received;
    },
    async write(outgoing, options) {
      if (!isLent) {
        throw connectionClosed();
      }
      for (const each of isMany(outgoing) ? outgoing : [outgoing]) {
        noteListen(listens, each);
      }
      await inner.write(isMany(outgoing) ? outgoing.map((each) => sent(each)) : sent(outgoing), options);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return {
    lent,
    back: () => {
      void close();
      if (!isEnded) {
        for (const id of listens) {
          inner.write(sent(cancellation(id))).catch(() => {
            // The connection has ended, and the listen with it.
          });
        }
      }
      return {
        isEnded,
        network: inner.network,
        async read() {
          for (;;) {
            const message = await (reading ?? inner.read());
            reading = undefined;
            if (message === undefined || !isLate(message)) {
              return message;
            }
          }
        },
        write: (message, options) => inner.write(message, options),
        close: (reason) => inner.close(reason),
        [Symbol.asyncDispose]: () => inner.close(),
      };
    },
  };
}

function noteListen(listens: Set<number>, message: Message): void {
  if (isRequest(message)) {
    if (message.method === "subscriptions/listen" && typeof message.id === "number") {
      listens.add(message.id);
    }
  } else if ("method" in message && message.method === cancelled) {
    listens.delete(Object(message.params)["requestId"] as number);
  }
}

const cancelled = "notifications/cancelled";

function cancellation(requestId: number): Message {
  return { jsonrpc: "2.0", method: cancelled, params: { requestId } };
}

/** Whether a message belongs to a request of the borrower. */
function isLate(message: Incoming): boolean {
  if (isBatch(message) || isMalformed(message)) {
    return false;
  }
  if (!isResponse(message)) {
    const id = metaOf(message.params)?.[MetaKey.subscriptionId];
    return typeof id === "number" && id >= offset;
  }
  return typeof message.id === "number" && message.id >= offset;
}

/** A received message with the ids that the borrower knows. */
function shifted(message: Incoming): Incoming {
  if (isBatch(message) || isMalformed(message)) {
    return message;
  }
  if (!isResponse(message)) {
    if (isRequest(message) || message.params === undefined) {
      return message;
    }
    const { method, params } = message;
    return { ...message, params: known(cancelledBy(params, method)) };
  }
  const id = typeof message.id === "number" ? message.id - offset : message.id;
  return "result" in message
    ? ({ ...message, id, result: known(message.result) } as Message)
    : ({ ...message, id } as Message);
}

/** A server ends a subscription by the id of its request. */
function cancelledBy(params: object, method: string): object {
  const { requestId } = params as { readonly requestId?: unknown };
  return method === cancelled && typeof requestId === "number" && requestId >= offset
    ? { ...params, requestId: requestId - offset }
    : params;
}

/** Subscriptions are named by the id of their request. */
function known<T>(container: T): T {
  const meta = metaOf(container);
  const id = meta?.[MetaKey.subscriptionId];
  return typeof id === "number"
    ? { ...container, _meta: { ...meta, [MetaKey.subscriptionId]: id - offset } }
    : container;
}

function sent(message: Message): Message {
  if (isRequest(message)) {
    return typeof message.id === "number" ? { ...message, id: message.id + offset } : message;
  }
  if ("method" in message && message.method === cancelled) {
    const { requestId } = message.params as { readonly requestId?: unknown };
    return typeof requestId === "number"
      ? { ...message, params: { ...message.params, requestId: requestId + offset } }
      : message;
  }
  return message;
}
