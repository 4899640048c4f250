import { checkBusMessage, createBusListeners, createStoreCalls, type Bus } from "@tenon/stores";

import type { Connection } from "./connection.ts";
import { createSubscriptions } from "./subscriptions.ts";

/** Creates the bus of a client: channels of publish and subscribe. */
export function createBus(
  { link, prefix, command, timeoutMs }: Connection,
  onError: (error: unknown) => void,
): Bus {
  const calls = createStoreCalls("Bus", timeoutMs);
  const listeners = createBusListeners(onError);
  const start = `${prefix}bus:`;
  const subscriptions = createSubscriptions(link, {
    isWanted: (channel) => listeners.has(channel.slice(start.length)),
    wanted: () => listeners.topics().map((topic) => start + topic),
    message: (channel, message) => listeners.message(channel.slice(start.length), message),
    restored: () => listeners.gap(),
    onError,
  });

  const close = async (): Promise<void> => {
    await calls.close();
    listeners.clear();
    subscriptions.close();
  };

  return {
    publish: (topic, payload) =>
      calls.run(async () => {
        checkBusMessage(topic, payload);
        await command("PUBLISH", start + topic, payload);
      }),
    subscribe: (topic, listener) =>
      calls.run(async () => {
        checkBusMessage(topic);
        const remove = listeners.add(topic, listener);
        try {
          await subscriptions.keep(start + topic);
        } catch (error) {
          remove();
          throw error;
        }
        return {
          async [Symbol.asyncDispose]() {
            if (remove()) {
              await subscriptions.drop(start + topic).catch(onError);
            }
          },
        };
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
