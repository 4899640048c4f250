/**
 * Data that a transport attaches to an inbound message. It is never received from or sent to the
 * remote peer.
 *
 * The interface is empty. Each layer declares the properties that it sets, by
 * `declare module "@tenon/jsonrpc2" { interface MessageExtra { … } }`. `@tenon/mcp` declares
 * `http`, `auth` and `relatedTo`.
 *
 * The peer reads `relatedTo`: the ID of the call during which the remote peer sent the message. If
 * this call is cancelled or times out, its requests are cancelled.
 */
export interface MessageExtra {}

/**
 * The property of an inbound message that carries its {@link MessageExtra}. JSON leaves symbols
 * out, in both directions.
 */
export const extra: unique symbol = Symbol.for("@tenon/jsonrpc2/extra");

/**
 * Carries facts from an error to the transport that the error response cannot contain, such as an
 * HTTP status. `toErrorObject` copies it from an `RpcError`. JSON leaves symbols out, so it is
 * never sent.
 */
export const transportHint: unique symbol = Symbol.for("@tenon/jsonrpc2/transportHint");
