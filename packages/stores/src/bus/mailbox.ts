import {
  checkOptionNames,
  errorSink,
  isRecord,
  readLimits,
  systemClock,
  type Clock,
  type LimitRules,
} from "@tenon/base";

import { StoreError } from "../error.ts";
import type { Bus } from "./contract.ts";

/** Responds to a message with an address. */
export type Receiver = (payload: string) => string | Promise<string>;

/** Limits of a {@link Mailbox}. */
export interface MailboxLimits {
  /** Maximum time to wait for a response, in milliseconds. Default: `5_000`. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of messages that wait for a response. Default: `10_000`. */
  readonly maxPending?: number | undefined;
}

/** Options of {@link createMailbox}. */
export interface MailboxOptions {
  /** Limits of the mailbox. Each limit has its own default. */
  readonly limits?: MailboxLimits | undefined;
  /**
   * Receives the errors of receivers and of responses that cannot be published. Default:
   * `console.error`.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Measures `timeoutMs`. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/**
 * Sends messages to an address, wherever its receiver runs, and returns the response. For example,
 * the response to a request of a session reaches the process that sent the request.
 */
export interface Mailbox extends AsyncDisposable {
  /**
   * Receives the messages to an address until the result is disposed of. Resolves when it is
   * active.
   *
   * @param address - 1 to 190 characters of visible ASCII.
   */
  receive(address: string, receiver: Receiver): Promise<AsyncDisposable>;

  /**
   * Sends a message and returns the response of the first receiver that responds.
   *
   * @throws `StoreError` `NO_RECEIVER` if there is no response within `timeoutMs`, or if the
   *   receiver failed: then the message may have been received. `STORE_FULL` above `maxPending`;
   *   errors of the bus.
   */
  ask(address: string, payload: string): Promise<string>;

  /** Ends all receivers; pending messages reject with `CLOSED`. Idempotent. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (payload: string) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: unknown;
}

const limitRules: LimitRules<MailboxLimits> = { timeoutMs: [5000, 0], maxPending: [10_000, 1] };

/**
 * Creates a mailbox on a bus. The bus is not closed with it.
 *
 * @throws `TypeError` for options that do not exist or are out of range; errors of the bus.
 */
export async function createMailbox(bus: Bus, options: MailboxOptions = {}): Promise<Mailbox> {
  checkOptionNames("createMailbox", options, "limits onError clock", limitRules);
  const { timeoutMs, maxPending } = readLimits(options.limits, limitRules);
  const { clock = systemClock } = options;
  const onError = errorSink(options.onError);
  const replyTopic = `re:${crypto.randomUUID()}`;
  const pending = new Map<number, Pending>();
  const subscriptions = new Set<AsyncDisposable>();
  let lastId = 0;
  let isClosed = false;

  function settle(id: unknown): Pending | undefined {
    const waiting = typeof id === "number" ? pending.get(id) : undefined;
    if (waiting !== undefined) {
      pending.delete(id as number);
      clock.clearTimeout(waiting.timer);
    }
    return waiting;
  }

  /** A response to a message of this mailbox. */
  function responded(text: string): void {
    const { id, payload } = parse(text);
    const waiting = settle(id);
    if (typeof payload === "string") {
      waiting?.resolve(payload);
    } else {
      waiting?.reject(new StoreError("NO_RECEIVER", "The receiver of the message failed."));
    }
  }

  /** A message to an address of this mailbox. */
  async function received(text: string, receiver: Receiver): Promise<void> {
    const { id, payload, reply } = parse(text);
    if (typeof payload !== "string" || typeof reply !== "string") {
      return;
    }
    let response: string | undefined;
    try {
      response = await receiver(payload);
    } catch (error) {
      onError(error);
    }
    try {
      await bus.publish(reply, JSON.stringify({ id, payload: response }));
    } catch (error) {
      onError(error);
    }
  }

  const replies = await bus.subscribe(replyTopic, {
    message: responded,
    // The message of a lost response fails after `timeoutMs`.
    gap: () => undefined,
  });
  subscriptions.add(replies);

  function requireOpen(): void {
    if (isClosed) {
      throw new StoreError("CLOSED", "Mailbox is closed.");
    }
  }

  const close = async (): Promise<void> => {
    isClosed = true;
    for (const id of [...pending.keys()]) {
      settle(id)?.reject(new StoreError("CLOSED", "Mailbox is closed."));
    }
    const all = [...subscriptions];
    subscriptions.clear();
    await Promise.all(all.map((subscription) => subscription[Symbol.asyncDispose]()));
  };

  return {
    async receive(address, receiver) {
      requireOpen();
      const subscription = await bus.subscribe(`to:${address}`, {
        message: (text) => void received(text, receiver),
        gap: () => undefined,
      });
      if (isClosed) {
        await subscription[Symbol.asyncDispose]();
      }
      requireOpen();
      subscriptions.add(subscription);
      return {
        async [Symbol.asyncDispose]() {
          if (subscriptions.delete(subscription)) {
            await subscription[Symbol.asyncDispose]();
          }
        },
      };
    },
    async ask(address, payload) {
      requireOpen();
      if (pending.size >= maxPending) {
        throw new StoreError("STORE_FULL", `Mailbox is full: the limit is ${maxPending} (maxPending).`);
      }
      const id = ++lastId;
      return await new Promise<string>((resolve, reject) => {
        const giveUp = (): void => {
          const message = `No receiver responded within ${timeoutMs} ms (timeoutMs).`;
          settle(id)?.reject(new StoreError("NO_RECEIVER", message));
        };
        const timer = clock.setTimeout(giveUp, timeoutMs, true);
        pending.set(id, { resolve, reject, timer });
        bus
          .publish(`to:${address}`, JSON.stringify({ id, payload, reply: replyTopic }))
          .catch((error: unknown) => settle(id)?.reject(error));
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
