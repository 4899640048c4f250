import type { SessionStores } from "@tenon/sdk/http";
import { createRedisStores } from "@tenon/store-redis";
import { createSqliteStores } from "@tenon/store-sqlite";
import { createBusListeners, type Bus } from "@tenon/stores";
import Database from "libsql";
import { createClient } from "redis";

/** Opens the stores that all nodes share: Redis, or a SQLite file on a machine without Redis. */
export async function openStores(file: string): Promise<SessionStores> {
  const { REDIS_URL: url } = process.env;
  return url === undefined
    ? { ...createSqliteStores(new Database(file)), bus: createParentBus() }
    : createRedisStores(await createClient({ url }).on("error", console.error).connect());
}

/** A bus for nodes of one parent process, which passes each message on to all of them. */
function createParentBus(): Bus {
  const listeners = createBusListeners(console.error);
  process.on("message", ([topic, payload]: [string, string]) => listeners.message(topic, payload));
  const close = async (): Promise<void> => listeners.clear();
  return {
    publish: async (...message) => void process.send?.(message),
    async subscribe(...topic) {
      const remove = listeners.add(...topic);
      return { [Symbol.asyncDispose]: async () => void remove() };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
