import { checkOptionNames, readLimits } from "@tenon/base";
import { createMemoryBus, steadyDate, type Bus } from "@tenon/stores";

import { limitRules } from "../limits.ts";
import { schema } from "../schema.ts";
import { storesOf, type SqliteStores, type SqliteStoresOptions } from "../stores.ts";
import { createObjectConnection, type ObjectStorage } from "./connection.ts";

/** The stores of one Durable Object. */
export interface ObjectStores extends SqliteStores {
  /**
   * Delivers messages within the object. All requests of an object meet in one place, so that no
   * other process exists to deliver to.
   */
  readonly bus: Bus;
}

/**
 * Creates the stores of a Durable Object, and its tables if they do not exist. A response is sent
 * only after the writes before it are durable: the platform holds it back.
 *
 * Route all requests of a session, or of a user, to the same object.
 *
 * @param storage - `ctx.storage` of the object.
 * @throws `TypeError` for options that do not exist or are out of range; errors of the database.
 */
export function createObjectStores(storage: ObjectStorage, options: SqliteStoresOptions = {}): ObjectStores {
  checkOptionNames("createObjectStores", options, "limits clock", limitRules);
  const limits = readLimits(options.limits, limitRules);
  const connection = createObjectConnection(storage, steadyDate(options.clock));
  connection.write(() => storage.sql.exec(schema));
  const stores = storesOf(connection, limits);
  const bus = createMemoryBus();
  const close = async (): Promise<void> => {
    await Promise.all([stores.close(), bus.close()]);
  };
  return { ...stores, bus, close, [Symbol.asyncDispose]: close };
}
