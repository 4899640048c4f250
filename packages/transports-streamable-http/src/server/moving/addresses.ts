import { isRecord } from "@tenon/base";
import { isNotification, isRequest, isResponse, type Message, type RequestId } from "@tenon/jsonrpc2/core";

/**
 * The IDs under which a process sends requests to the client of a session that other processes
 * serve too: they name the process, because the response may arrive at any other.
 */
export interface Addresses {
  /** Returns the message that is sent to the client for a message of this process. */
  outward(message: Message): Message;
  /**
   * Returns the process that waits for a response or a progress notification of the client;
   * `undefined` if any process may take the message.
   */
  nodeOf(message: Message): string | undefined;
  /** Returns a message that belongs to this process as the server expects it. */
  inward(message: Message): Message;
}

const separator = ":";

/** Creates the addresses of a process. @param node - Its name, without a colon. */
export function createAddresses(node: string): Addresses {
  const prefix = node + separator;
  const address = (id: unknown): string => prefix + JSON.stringify(id);
  const inside = (id: unknown): RequestId => JSON.parse(String(id).slice(prefix.length)) as RequestId;
  return {
    outward(message) {
      if (isRequest(message)) {
        const { params } = message;
        const meta = isRecord(params) ? params["_meta"] : undefined;
        const named = { ...message, id: address(message.id) };
        return isRecord(meta) && meta["progressToken"] !== undefined
          ? {
              ...named,
              params: { ...params, _meta: { ...meta, progressToken: address(meta["progressToken"]) } },
            }
          : named;
      }
      return isNotification(message) && message.method === "notifications/cancelled"
        ? renamed(message, "requestId", address)
        : message;
    },
    nodeOf(message) {
      const id = isResponse(message) ? message.id : progressTokenOf(message);
      return typeof id === "string" ? /^([\w-]+):/.exec(id)?.[1] : undefined;
    },
    inward(message) {
      try {
        return isResponse(message)
          ? { ...message, id: inside(message.id) }
          : renamed(message as Message & { method: string }, "progressToken", inside);
      } catch {
        return message;
      }
    },
  };
}

function progressTokenOf(message: Message): unknown {
  return isNotification(message) && message.method === "notifications/progress" && isRecord(message.params)
    ? message.params["progressToken"]
    : undefined;
}

function renamed<M extends Message & { params?: object }>(
  message: M,
  name: string,
  rename: (id: unknown) => RequestId,
): M {
  const { params } = message;
  return isRecord(params) ? { ...message, params: { ...params, [name]: rename(params[name]) } } : message;
}
