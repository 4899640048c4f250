import {
  Client,
  LoggingTransport,
  wrapTransport,
  type ClientSession,
  type Transport,
} from "@tenon/sdk/client";
import type { Server } from "@tenon/sdk/server";
import { broadcastTransport, listenOnBroadcast, portTransport } from "@tenon/transports-message";

/** A client and a server that a channel connects. */
export async function channeled(client: Client, server: Server): Promise<ClientSession> {
  // #region port
  const { port1, port2 } = new MessageChannel();
  await server.connect(portTransport(port2)); // in the thread that port2 was transferred to
  const session = await client.connect(portTransport(port1));
  // #endregion port
  return session;
}

/** A client and a server on one channel. */
export async function broadcasted(client: Client, server: Server): Promise<ClientSession> {
  // #region broadcast
  const listener = listenOnBroadcast("dictionary", {
    onConnection: (transport) => server.connect(transport),
  });
  const session = await client.connect(broadcastTransport("dictionary")); // in another tab or worker
  // #endregion broadcast
  void session.closed.then(() => listener.close());
  return session;
}

/** Writes what goes over the wire. */
export async function logged(inner: Transport, lines: string[]): Promise<ClientSession> {
  const client = new Client({ name: "desk", version: "1.0.0" });
  // #region log
  const session = await client.connect(
    new LoggingTransport(inner, { write: (line) => lines.push(line) }, { redact: (message) => message }),
  );
  // #endregion log
  return session;
}

/** Counts what is read and written. */
export function counted(inner: Transport): {
  readonly transport: Transport;
  readonly counts: Record<string, number>;
} {
  const counts: Record<string, number> = { read: 0, written: 0 };
  // #region wrap
  const transport = wrapTransport(inner, {
    onRead: (message) => {
      counts["read"] = (counts["read"] ?? 0) + 1;
      return message;
    },
    onWrite: (message) => {
      counts["written"] = (counts["written"] ?? 0) + 1;
      return message;
    },
  });
  // #endregion wrap
  return { transport, counts };
}
