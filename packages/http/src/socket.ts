/**
 * HTTP over Unix sockets and Windows named pipes. Node only.
 *
 * @packageDocumentation
 */

export { isSocketUrl, readSocketUrl, socketUrl, type SocketAddress } from "./client/socket-url.ts";
export { socketFetch } from "./client/platform/socket-fetch.ts";
