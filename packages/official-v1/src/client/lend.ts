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
  let stop: ((end: undefined) => void) | undefined;
  const stopped = new Promise<undefined>((resolve) => {
    stop = resolve;
  });
  const close = (): Promise<void> => {
    isLent = false;
    stop?.(undefined);
    return Promise.resolve();
  };
  const lent: Connection = {
    async read() {
      if (!isLent) {
        return undefined;
      }
      reading ??= inner.read();
      const message = await Promise.race([reading, stopped]);
      if (!isLent) {
        return undefined;
      }
      reading = undefined;
      isEnded = message === undefined;
      return message && shifted(message, -offset);
    },
    async write(outgoing, options) {
      if (!isLent) {
        throw connectionClosed();
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

function isLate(message: Incoming): boolean {
  return (
    !isBatch(message) &&
    !isMalformed(message) &&
    isResponse(message) &&
    typeof message.id === "number" &&
    message.id >= offset
  );
}

/** A received message with the id that the borrower knows. */
function shifted(message: Incoming, by: number): Incoming {
  return isBatch(message) || isMalformed(message) || !isResponse(message) || typeof message.id !== "number"
    ? message
    : { ...message, id: message.id + by };
}

function sent(message: Message): Message {
  if (isRequest(message)) {
    return typeof message.id === "number" ? { ...message, id: message.id + offset } : message;
  }
  if ("method" in message && message.method === "notifications/cancelled") {
    const { requestId } = message.params as { readonly requestId?: unknown };
    return typeof requestId === "number"
      ? { ...message, params: { ...message.params, requestId: requestId + offset } }
      : message;
  }
  return message;
}
