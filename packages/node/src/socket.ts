/**
 * The HTTP handlers on Unix sockets and Windows named pipes.
 *
 * @packageDocumentation
 */

export { listenOnSocket, type SocketListenOptions } from "./socket/listen-on-socket.ts";
