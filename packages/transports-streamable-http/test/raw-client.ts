import { Peer } from "@tenon/jsonrpc2";
import {
  StreamableClientTransport,
  type StreamableClientOptions,
} from "@tenon/transports-streamable-http/client";

/** A peer over the client transport, without what other tests have learned about servers. */
export async function peerOf(url: URL, options: StreamableClientOptions = {}): Promise<Peer> {
  return new Peer(await new StreamableClientTransport(url, { eras: false, ...options }).connect());
}

/** The handshake of the legacy era. */
export async function initialize(peer: Peer, protocolVersion = "2025-11-25"): Promise<void> {
  const clientInfo = { name: "test", version: "1.0.0" };
  await peer.call("initialize", { protocolVersion, capabilities: {}, clientInfo });
  await peer.notify("notifications/initialized", {});
}

/** The envelope of a modern request. */
export const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
