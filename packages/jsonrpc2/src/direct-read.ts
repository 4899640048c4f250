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
 * Reads like `Connection.read`, but calls `reader` at the time at which the promise would have been
 * settled, once for each read. A promise that waits for the next message makes the garbage of an
 * idle connection old, and holds half a kilobyte itself.
 */
export type DirectRead<C extends Connection = Connection> = (reader: Reader, connection: C) => void;

const key = Symbol("directRead");

interface Offer {
  /** The method that `to` stands for. */
  readonly read: Connection["read"];
  readonly to: DirectRead;
}

/**
 * Makes a peer read a connection by {@link DirectRead}. Copies and wrappers of the connection are
 * read by their own `read`.
 *
 * @param connection - A connection, or the prototype of a class of them.
 */
export function offerDirectRead<C extends Connection>(connection: C, to: DirectRead<C>): void {
  const offer: Offer = { read: connection.read, to: to as DirectRead };
  Object.defineProperty(connection, key, { value: offer });
}

/** Reads the next message of a connection, directly if possible. */
export function readNext(connection: Connection, reader: Reader): void {
  const offer = (connection as { readonly [key]?: Offer })[key];
  // Code that has replaced `read` since then must see every message.
  if (offer !== undefined && offer.read === connection.read) {
    offer.to(reader, connection);
  } else {
    connection.read().then(
      (incoming) => reader.take(incoming),
      (error: unknown) => reader.lose(error),
    );
  }
}
