import { checkBusMessage, createBusListeners, createStoreCalls, type Bus } from "@tenon/stores";

import type { Connection } from "./connection.ts";
import { createSubscriptions } from "./subscriptions.ts";

/** Creates the bus of a client: channels of publish and subscribe. */
export function createBus(connection: Connection, onError: (error: unknown) => void): Bus {
  const { prefix, command, timeoutMs } = connection;
  const calls = createStoreCalls("Bus", timeoutMs);
  const listeners = createBusListeners(onError);
  const start = `${prefix}bus:`;
  const subscriptions = createSubscriptions(connection, {
    isWanted: (channel) => listeners.has(channel.slice(start.length)),
    wanted: () => listeners.topics().map((topic) => start + topic),
    message: (channel, message) => listeners.message(channel.slice(start.length), message),
    restored: () => listeners.gap(),
    onError,
  });

  const close = (): Promise<void> => {
    // In this turn: a subscription that ends at the same time has nothing left to do.
    listeners.clear();
    subscriptions.close();
    return calls.close();
  };

  return {
    publish: (topic, payload) =>
      calls.run(async () => {
        checkBusMessage(topic, payload);
        await command("PUBLISH", start + topic, payload);
      }),
    async subscribe(topic, listener) {
      const remove = await calls.run(() => {
        checkBusMessage(topic);
        return listeners.add(topic, listener);
      });
      try {
        await calls.run(() => subscriptions.keep(start + topic));
      } catch (error) {
        remove();
        throw error;
      }
      return {
        async [Symbol.asyncDispose]() {
          if (remove()) {
            await calls.run(() => subscriptions.drop(start + topic)).catch(onError);
          }
        },
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
