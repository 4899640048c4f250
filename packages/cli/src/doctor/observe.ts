import {
  isBatch,
  isMalformed,
  isNotification,
  wrapTransport,
  type Connection,
  type Incoming,
  type Transport,
} from "@tenon/jsonrpc2/core";

/** Facts about a conversation that a session does not show. */
export interface Observation {
  /** Notifications that were received. */
  notifications: number;
  /** The size of everything that was received, in characters of JSON. */
  received: number;
  /** Received input that was not a message. */
  malformed: string | undefined;
  /** The connection, for its diagnosis and its process. */
  connection: Connection | undefined;
}

/** Observes a transport. */
export function observe(transport: Transport): { readonly transport: Transport; readonly seen: Observation } {
  const seen: Observation = { notifications: 0, received: 0, malformed: undefined, connection: undefined };
  const count = (incoming: Incoming): Incoming => {
    if (isMalformed(incoming)) {
      seen.malformed ??= incoming.malformed.message;
    } else {
      const messages = isBatch(incoming) ? incoming.batch : [incoming];
      seen.notifications += messages.filter((message) => isNotification(message)).length;
      seen.received += JSON.stringify(incoming).length;
    }
    return incoming;
  };
  const wrapped = wrapTransport(
    {
      async connect(options) {
        const connection = await transport.connect(options);
        seen.connection = connection;
        return connection;
      },
      get authorization() {
        return transport.authorization;
      },
    },
    { onRead: count },
  );
  return { transport: wrapped, seen };
}
