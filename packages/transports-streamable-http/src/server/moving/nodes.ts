import { inTime, isRecord } from "@tenon/base";
import { unref } from "@tenon/http/transport";
import type { Message } from "@tenon/jsonrpc2";
import { createMailbox, isStoreError, StoreError, type Bus, type Mailbox } from "@tenon/stores";

import { Parcels, partsOf } from "./parcels.ts";

/** A request of one process to another. */
export type Question =
  /** To take messages that the client sent to this process. */
  | { readonly kind: "take"; readonly session: string; readonly messages: readonly Message[] }
  /** To send a message on the standalone stream. */
  | { readonly kind: "say"; readonly session: string; readonly messages: readonly Message[] }
  /** Whether it still writes a stream, which the process `from` follows. */
  | { readonly kind: "writes"; readonly session: string; readonly streamId: string; readonly from: string }
  /** To read a stream that it follows, because the stream was written. */
  | { readonly kind: "written"; readonly session: string; readonly streamId: string };

/**
 * News of a session for all processes: it has ended, its record has changed, its stream has moved,
 * or its client has cancelled a request.
 */
interface SessionNews {
  readonly from: string;
  readonly kind: "ended" | "changed" | "moved" | "cancelled";
  readonly session: string;
  /** The message that cancels. */
  readonly message?: Message | undefined;
}

/** News for all processes: of a session, or that a principal was revoked. */
export type News =
  | SessionNews
  | { readonly from: string; readonly kind: "revoked"; readonly id: string; readonly principal: string };

/** The receiving side of {@link Nodes}. */
export interface NodesOwner {
  /** Responds to another process. */
  asked(question: Question): Promise<boolean>;
  /** Called with the news of other processes. */
  told(news: News): void;
  /** Called when news may have been lost. */
  gap(): void;
  readonly onError: (error: unknown) => void;
}

/** Connects the processes that serve the same sessions. */
export interface Nodes {
  /** Sends a request to another process. @throws `StoreError` without a response in time. */
  ask(node: string, question: Question): Promise<boolean>;
  /** As {@link ask}, but at once false if the process did not respond a short time ago. */
  askIfHeard(node: string, question: Question): Promise<boolean>;
  /** Sends news to all other processes. Failures are reported. */
  tell(kind: SessionNews["kind"], session: string, message?: Message): void;
  /** Makes all other processes revoke a principal. @throws `StoreError` if the bus fails. */
  revoke(id: string, principal: string): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

const topic = "mcp.sessions";
/** Time between two attempts to reach the bus, in milliseconds. */
const retryMs = 1000;
/** Maximum length of the messages of one request, in UTF-16 code units. */
const maxLength = 64 * 1024 * 1024;
/** Time for which a process counts as ended after it did not respond, in milliseconds. */
const silentMs = 10_000;
/** Maximum number of processes that are remembered as ended. */
const maxSilent = 1000;

/**
 * Connects this process to the others, now or as soon as the bus can be reached.
 *
 * @param timeoutMs - Maximum time to wait for a response, in milliseconds.
 */
export function connectNodes(bus: Bus, node: string, owner: NodesOwner, timeoutMs: number): Nodes {
  const { onError } = owner;
  let mailbox: Promise<Mailbox>;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let news: AsyncDisposable | undefined;
  let isClosed = false;
  let hasFailed = false;
  const parcels = new Parcels(maxLength);
  /** The processes that did not respond, and until when they count as ended. */
  const silent = new Map<string, number>();

  async function answer(text: string): Promise<boolean> {
    const question: unknown = JSON.parse(text);
    if (isRecord(question) && question["kind"] === "part") {
      return parcels.take(question, answer);
    }
    return isRecord(question) && owner.asked(question as unknown as Question);
  }

  async function ask(to: string, question: Question): Promise<boolean> {
    const opened = await storeInTime(mailbox, timeoutMs);
    try {
      for (const part of partsOf(JSON.stringify(question))) {
        if ((await opened.ask(`node:${to}`, part)) !== "yes") {
          return false;
        }
      }
    } catch (error) {
      if (isStoreError(error, "NO_RECEIVER")) {
        silent.set(to, performance.now() + silentMs);
        const [oldest] = silent.keys();
        if (silent.size > maxSilent && oldest !== undefined) {
          silent.delete(oldest);
        }
      }
      throw error;
    }
    silent.delete(to);
    return true;
  }

  async function connect(): Promise<Mailbox> {
    const opened = await createMailbox(bus, { limits: { timeoutMs }, onError });
    try {
      await opened.receive(`node:${node}`, async (text) => {
        try {
          return (await answer(text)) ? "yes" : "no";
        } catch (error) {
          // A process that fails has not ended.
          onError(error);
          return "no";
        }
      });
      const subscribed = await bus.subscribe(topic, { message: received, gap: () => owner.gap() });
      if (isClosed) {
        await subscribed[Symbol.asyncDispose]();
        throw new StoreError("CLOSED", "Handler is closed.");
      }
      news = subscribed;
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened;
  }

  function start(): void {
    mailbox = connect();
    mailbox.then(
      () => {
        if (hasFailed) {
          owner.gap();
        }
      },
      (error: unknown) => {
        if (isClosed) {
          return;
        }
        if (!hasFailed) {
          hasFailed = true;
          onError(error);
        }
        timer = setTimeout(start, retryMs);
        unref(timer);
      },
    );
  }

  function received(text: string): void {
    const news: unknown = JSON.parse(text);
    if (isRecord(news) && news["from"] !== node) {
      silent.delete(String(news["from"]));
      owner.told(news as unknown as News);
    }
  }

  start();
  return {
    ask,
    async askIfHeard(to, question) {
      return (silent.get(to) ?? 0) > performance.now() ? false : ask(to, question);
    },
    tell(kind, session, message) {
      const news: News = { from: node, kind, session, message };
      bus.publish(topic, JSON.stringify(news)).catch(onError);
    },
    revoke(id, principal) {
      const news: News = { from: node, kind: "revoked", id, principal };
      return storeInTime(bus.publish(topic, JSON.stringify(news)), timeoutMs);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const end = async (): Promise<void> => {
        const opened = await mailbox.catch(() => undefined);
        await news?.[Symbol.asyncDispose]();
        await opened?.close();
      };
      // A connection that is still being made ends by itself later.
      await storeInTime(end(), timeoutMs).catch(onError);
    },
  };
}

/** Waits for a store, but not longer than `timeoutMs` milliseconds. */
export function storeInTime<T>(result: Promise<T>, timeoutMs: number): Promise<T> {
  const expired = (): never => {
    throw new StoreError("STORE_FAILED", `A store did not respond within ${timeoutMs} ms (storeMs).`);
  };
  return inTime(result, timeoutMs, { expired });
}
