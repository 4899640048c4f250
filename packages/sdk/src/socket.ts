/**
 * Streamable HTTP on Unix sockets and Windows named pipes: `listenOnSocket` for servers,
 * `socketTransport` for clients. Node only.
 *
 * @packageDocumentation
 */

export * from "@tenon/node/socket";
export * from "@tenon/transports-streamable-http/socket";
