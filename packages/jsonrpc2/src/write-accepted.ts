/**
 * The promise that a `Connection.write` may return when it accepted the message at once. It is
 * optional: any promise will do, but this one tells `Peer` that there is nothing to wait for.
 */
export const writeAccepted: Promise<void> = Promise.resolve();
