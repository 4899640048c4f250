/**
 * The client's side of Streamable HTTP over Unix sockets and Windows named pipes. Node only.
 *
 * @packageDocumentation
 */

export { readSocketUrl, socketFetch, socketUrl, type SocketAddress } from "@tenon/http/socket";
export {
  socketTransport,
  type SocketTransport,
  type SocketTransportOptions,
} from "./client/socket-transport.ts";
