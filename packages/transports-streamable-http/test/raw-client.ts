import { Peer, type Cancellation } from "@tenon/jsonrpc2";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import {
  StreamableClientTransport,
  type StreamableClientOptions,
} from "@tenon/transports-streamable-http/client";

/** How abandoned calls are told of. */
export const cancellation: Cancellation = {
  notification: (requestId) => ({ method: "notifications/cancelled", params: { requestId } }),
  read: () => undefined,
};

/** A peer over the client transport, without what other tests have learned about servers. */
export async function peerOf(
  url: URL,
  options: StreamableClientOptions = {},
  onNotification: (method: string) => void = () => {},
): Promise<Peer> {
  const connection = await new StreamableClientTransport(url, { eras: false, ...options }).connect();
  return new Peer(connection, { handler: ({ method }) => onNotification(method), cancellation });
}

/** The handshake of the legacy era. */
export async function initialize(peer: Peer, protocolVersion: string = legacyRevision): Promise<void> {
  const clientInfo = { name: "test", version: "1.0.0" };
  await peer.call("initialize", { protocolVersion, capabilities: {}, clientInfo });
  await peer.notify("notifications/initialized", {});
}

/** The envelope of a modern request. */
export const meta = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientCapabilities": {},
};
