import { isRecord } from "@tenon/base";
import {
  connectionClosed,
  LocalError,
  type Connection,
  type Incoming,
  type Transport,
} from "@tenon/jsonrpc2/core";
import { MessageQueue } from "@tenon/jsonrpc2/transport";

import { page, type WindowMessage } from "./page.ts";

/** Maximum number of messages that wait until the view reads them. */
const maxQueued = 1024;

/**
 * Creates a transport to the window that shows the view. It accepts messages of this window only
 * and, after the first message, of its origin only. It has few of the features of
 * `@tenon/transports-message`, and a tenth of its size.
 */
export function parentTransport(): Transport {
  return {
    connect: () => {
      const { parent } = page;
      if (parent === undefined || parent === (page as unknown)) {
        const message = "A view runs in the frame of its host. Elsewhere, pass a transport to connectView.";
        return Promise.reject(new TypeError(message));
      }
      return Promise.resolve(connectionTo(parent));
    },
  };
}

function connectionTo(parent: NonNullable<typeof page.parent>): Connection {
  const queue = new MessageQueue(maxQueued);
  let origin: string | undefined;
  let isClosed = false;
  const receive = ({ source, origin: from, data }: WindowMessage): void => {
    if (source !== parent || from !== (origin ?? from) || !isMessage(data)) {
      return;
    }
    origin = from;
    if (queue.length >= maxQueued) {
      const message = `The view did not read ${maxQueued} messages of its host.`;
      queue.end({ error: new LocalError("LIMIT_EXCEEDED", message) });
    }
    void queue.put(data);
  };
  page.addEventListener("message", receive);
  const close = (): Promise<void> => {
    isClosed = true;
    page.removeEventListener("message", receive);
    queue.end({ discard: true });
    return Promise.resolve();
  };
  return {
    read: () => queue.read(),
    write: (message) =>
      new Promise((resolve) => {
        if (isClosed) {
          throw connectionClosed();
        }
        // The platform cannot restrict messages to an opaque origin.
        parent.postMessage(message, origin === undefined || origin === "null" ? "*" : origin);
        resolve();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Whether data is a JSON-RPC message; windows also get data of other programs. */
function isMessage(data: unknown): data is Incoming {
  if (!isRecord(data) || data["jsonrpc"] !== "2.0") {
    return false;
  }
  const { id, method, error } = data;
  const isId = typeof id === "string" || typeof id === "number";
  if (method !== undefined) {
    return typeof method === "string" && (isId || !("id" in data));
  }
  return isId && ("result" in data || (isRecord(error) && typeof error["message"] === "string"));
}
