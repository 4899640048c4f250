import type { Incoming } from "./message.ts";
import type { Connection } from "./transport.ts";

/** The reader of a connection. */
export interface Reader {
  /** Receives a value of `Connection.read`. */
  take(incoming: Incoming | undefined): void;
  /** Called when the connection has failed. */
  lose(error: unknown): void;
}

/**
 * Reads like `Connection.read`, but calls `take` at the time at which the promise would have been
 * resolved, once for each read. A promise that waits for the next message makes the garbage of an
 * idle connection old.
 */
export type DirectRead = (take: Reader["take"]) => void;

const key = Symbol("directRead");

interface Offer {
  /** The method that `to` stands for. */
  readonly read: Connection["read"];
  readonly to: DirectRead;
}

/**
 * Makes a peer read a connection by {@link DirectRead}. The reads of the connection must never
 * reject. Copies and wrappers of the connection are read by their own `read`.
 */
export function offerDirectRead(connection: Connection, to: DirectRead): void {
  const offer: Offer = { read: connection.read, to };
  Object.defineProperty(connection, key, { value: offer });
}

/** Returns a function that reads the next message of a connection, directly if possible. */
export function readerOf(connection: Connection, reader: Reader): () => void {
  const offer = (connection as { readonly [key]?: Offer })[key];
  const take = (incoming: Incoming | undefined): void => reader.take(incoming);
  const lose = (error: unknown): void => reader.lose(error);
  return () => {
    // Code that has replaced `read` since then must see every message.
    if (offer !== undefined && offer.read === connection.read) {
      offer.to(take);
    } else {
      connection.read().then(take, lose);
    }
  };
}
