import { checkOptionNames, errorSink, systemClock, type Clock } from "@tenon/base";

import type { Bus } from "./contract.ts";

/** Options of {@link shareChanges}. */
export interface SharedChangesOptions {
  /**
   * The topic of the messages: 1 to 200 characters of visible ASCII. Servers with other tools or
   * resources need another topic. Default: `"mcp.changes"`.
   */
  readonly topic?: string | undefined;
  /** Receives errors of the bus and of `announce`. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Measures 1 s between two attempts to subscribe or to publish. Default: the clock of the
   * platform.
   */
  readonly clock?: Clock | undefined;
}

/** Forwards the changes of a server to the other processes. */
export interface SharedChanges extends AsyncDisposable {
  /**
   * Publishes a change. Pass it to the server as `onChange`. A change that cannot be published is
   * passed to `onError`, and published again every second until the bus accepts it. If more than
   * 1,000 different changes wait for the bus, they are replaced by the message that everything may
   * have changed.
   */
  publish(change: object): void;
  /** Ends the subscription. Idempotent. */
  close(): Promise<void>;
}

const retryMs = 1000;
/** Maximum number of changes that wait to be published again. */
const maxWaiting = 1000;

/** A change that names nothing: after a gap, everything may have changed. */
const everything = { origin: "gap" };

/**
 * Notifies the clients of all processes of the changes of each. If the bus cannot be reached, the
 * clients of this process are still notified of its own changes. When the bus is back, every client
 * is notified once of everything that it has subscribed to.
 *
 * @example
 * const bus = createMemoryBus();
 * const changes = shareChanges(bus, (change) => server.announce(change));
 * const server = new Server({ name: "shop", version: "1.0.0" }, { onChange: changes.publish });
 *
 * @param announce - Called with the changes of other processes: `announce` of the server.
 * @throws `TypeError` for options that do not exist.
 */
export function shareChanges(
  bus: Bus,
  announce: (change: object) => void,
  options: SharedChangesOptions = {},
): SharedChanges {
  checkOptionNames("shareChanges", options, "topic onError clock");
  const { topic = "mcp.changes", clock = systemClock } = options;
  const onError = errorSink(options.onError);
  let subscription: Promise<AsyncDisposable | undefined>;
  let timer: unknown;
  let isClosed = false;
  /** Changes that could not be published. Equal changes are published once. */
  const waiting = new Set<string>();
  let publishing: unknown;

  /** Publishes again later, one change after the other. */
  async function publishAgain(): Promise<void> {
    publishing = undefined;
    try {
      for (const text of [...waiting]) {
        await bus.publish(topic, text);
        waiting.delete(text);
      }
    } catch {
      retry();
    }
  }

  function retry(): void {
    if (!isClosed) {
      publishing ??= clock.setTimeout(() => void publishAgain(), retryMs, false);
    }
  }

  async function publish(text: string): Promise<void> {
    try {
      await bus.publish(topic, text);
    } catch (error) {
      onError(error);
      waiting.add(text);
      if (waiting.size > maxWaiting) {
        waiting.clear();
        waiting.add(JSON.stringify(everything));
      }
      retry();
    }
  }

  const gap = (): void => announce(everything);

  async function subscribe(isRetry: boolean): Promise<AsyncDisposable | undefined> {
    try {
      const message = (text: string): void => announce(JSON.parse(text) as object);
      const subscribed = await bus.subscribe(topic, { message, gap });
      if (isRetry) {
        gap();
      }
      return subscribed;
    } catch (error) {
      if (!isRetry) {
        onError(error);
      }
      if (!isClosed) {
        const again = (): void => {
          subscription = subscribe(true);
        };
        timer = clock.setTimeout(again, retryMs, false);
      }
      return undefined;
    }
  }

  const close = async (): Promise<void> => {
    isClosed = true;
    clock.clearTimeout(timer);
    clock.clearTimeout(publishing);
    await (await subscription)?.[Symbol.asyncDispose]();
  };

  subscription = subscribe(false);
  return {
    publish(change) {
      void publish(JSON.stringify(change));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
