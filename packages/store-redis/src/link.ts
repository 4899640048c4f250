import { kindOf } from "@tenon/base";

/** The parts of a client of the package `redis` that the stores use. */
export interface NodeRedisClient {
  /** Whether commands are sent at once. Default: `false`. */
  readonly isReady?: boolean;
  /**
   * Sends a command.
   *
   * @param options - `timeout`: how long it may wait to be sent, in milliseconds; 0 sets no timer.
   */
  sendCommand(command: string[], options?: { readonly timeout?: number }): Promise<unknown>;
  /** Creates a client with the same options, for subscriptions. */
  duplicate(): NodeRedisSubscriber;
}

/** The parts of a client of the package `redis` that subscriptions use. */
export interface NodeRedisSubscriber {
  /** Opens the connection. */
  connect(): Promise<unknown>;
  /** Adds a listener of `ready` and `error`. */
  on(event: string, listener: () => void): unknown;
  /** Subscribes to a channel. */
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  /** Ends the subscription to a channel. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Closes the connection at once. */
  destroy(): unknown;
}

/** The parts of a client of `ioredis` or `iovalkey` that the stores use. */
export interface IoRedisClient {
  /** Sends a command. */
  call(command: string, ...values: string[]): Promise<unknown>;
  /** Creates a client with the same options, for subscriptions. */
  duplicate(): IoRedisSubscriber;
}

/** The parts of a client of `ioredis` or `iovalkey` that subscriptions use. */
export interface IoRedisSubscriber {
  /** `"wait"`: the client connects when it is used for the first time (`lazyConnect`). */
  readonly status: string;
  /** Opens the connection. */
  connect(): Promise<unknown>;
  /** Adds a listener of `message`, `ready` and `error`. */
  on(event: string, listener: (channel: string, message: string) => void): unknown;
  /** Subscribes to a channel. */
  subscribe(channel: string): Promise<unknown>;
  /** Ends the subscription to a channel. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Closes the connection at once. */
  disconnect(): unknown;
}

/** A client of `redis`, `ioredis` or `iovalkey`, which its owner has connected. */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** Receives what happens on a connection for subscriptions. */
export interface SubscriberEvents {
  message(channel: string, message: string): void;
  /** The connection works, for the first time or again. */
  ready(): void;
}

/** A connection for subscriptions. */
export interface Subscriber {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  close(): void;
}

/** Commands and subscriptions, whatever the client. */
export interface Link {
  command(command: string[]): Promise<unknown>;
  subscriber(events: SubscriberEvents): Subscriber;
}

/** Maximum number of commands that the client sends without a timer. */
const maxUntimed = 1000;
const untimed = { timeout: 0 };

/**
 * Returns a function that sends commands. A client of `redis` sets a timer for each command, which
 * limits how long the command waits to be sent. The timer takes longer than everything else that
 * the client does, so commands that are sent at once have none.
 */
function sendingBy(client: NodeRedisClient): Link["command"] {
  let pending = 0;
  return async (command) => {
    pending++;
    try {
      const isUntimed = client.isReady === true && pending <= maxUntimed;
      return await client.sendCommand(command, isUntimed ? untimed : undefined);
    } finally {
      pending--;
    }
  };
}

/** Returns the {@link Link} of a client. @throws `TypeError` for any other value. */
export function linkOf(client: RedisClient): Link {
  if (typeof client !== "object" || client === null) {
    throw new TypeError(`Client must be a client of redis, ioredis or iovalkey; got ${kindOf(client)}.`);
  }
  if (isIoRedis(client)) {
    return {
      command: ([command = "", ...values]) => client.call(command, ...values),
      subscriber: (events) => ioSubscriber(client.duplicate(), events),
    };
  }
  if (isNodeRedis(client)) {
    return {
      command: sendingBy(client),
      subscriber: (events) => nodeSubscriber(client.duplicate(), events),
    };
  }
  throw new TypeError(
    "Client must be a client of redis, ioredis or iovalkey, or a cluster of ioredis or iovalkey; got another object, such as a cluster, a sentinel or a pool of redis.",
  );
}

/**
 * Clusters and sentinels of `redis` also have a method `sendCommand`, with further parameters
 * before the command. Pools cannot be duplicated.
 */
function isNodeRedis({ sendCommand, duplicate }: Partial<NodeRedisClient>): boolean {
  return typeof sendCommand === "function" && sendCommand.length <= 2 && typeof duplicate === "function";
}

/** Clients of `ioredis` also have a method `sendCommand`, with other parameters. */
function isIoRedis(client: RedisClient): client is IoRedisClient {
  return "call" in client && typeof client.call === "function";
}

function nodeSubscriber(client: NodeRedisSubscriber, events: SubscriberEvents): Subscriber {
  const heard = (message: string, channel: string): void => events.message(channel, message);
  // The client connects again after an error. Without a listener the error would end the process.
  client.on("error", () => undefined);
  client.on("ready", () => events.ready());
  client.connect().catch(() => undefined);
  return {
    subscribe: (channel) => client.subscribe(channel, heard),
    unsubscribe: (channel) => client.unsubscribe(channel),
    close() {
      try {
        client.destroy();
      } catch {
        // Version 5 throws if the client has given up its connection.
      }
    },
  };
}

function ioSubscriber(client: IoRedisSubscriber, events: SubscriberEvents): Subscriber {
  client.on("error", () => undefined);
  client.on("ready", () => events.ready());
  client.on("message", (channel, message) => events.message(channel, message));
  if (client.status === "wait") {
    // Nothing is sent before the connection is ready.
    client.connect().catch(() => undefined);
  }
  return {
    subscribe: (channel) => client.subscribe(channel),
    unsubscribe: (channel) => client.unsubscribe(channel),
    close: () => void client.disconnect(),
  };
}
