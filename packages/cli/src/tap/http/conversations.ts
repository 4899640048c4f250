import { isRecord } from "@tenon/base";
import type { CassetteRecorder } from "@tenon/testing/cassette";

import { createObserver, type Observer } from "../observed.ts";

/** The requests of one session, or of one client without a session. */
export interface Conversation extends Observer {
  /** Records a failure. */
  error(dir: "read" | "write", text: string): void;
  /** The IDs of requests in flight, as JSON. */
  readonly inFlight: Set<string>;
}

/** Sorts the exchanges of an HTTP endpoint into the connections of a recording. */
export interface Conversations {
  /**
   * The conversation of a request. `initialize` begins one. Without a session, requests belong to
   * the newest conversation in which their IDs are not in flight.
   */
  of(session: string | undefined, messages: readonly unknown[]): Conversation;
  /** Whether a session has been bound. */
  has(session: string): boolean;
  /** Binds the session that a response names to its conversation. */
  bind(conversation: Conversation, session: string): void;
  /** Records the end of a session. */
  end(session: string): void;
  /** Adds work that {@link close} waits for. It never rejects. */
  pending(work: Promise<void>): Promise<void>;
  /** Waits for pending work, and records the end of all conversations. */
  close(): Promise<void>;
}

/** Maximum number of conversations that are told apart. The oldest one ends for another. */
const maxConversations = 10_000;

/** Creates the conversations of a recording. @param note - Prints a sentence on standard error. */
export function createConversations(
  recorder: CassetteRecorder,
  note: (message: string) => void,
): Conversations {
  const open = new Map<Conversation, () => void>();
  const sessions = new Map<string, Conversation>();
  const withoutSession = new Set<Conversation>();
  const works = new Set<Promise<void>>();

  function begin(): Conversation {
    const connection = recorder.connect();
    const conversation: Conversation = {
      ...createObserver(connection, note),
      error: connection.error,
      inFlight: new Set(),
    };
    open.set(conversation, connection.end);
    withoutSession.add(conversation);
    const [oldest] = open.keys();
    if (open.size > maxConversations && oldest !== undefined) {
      forget(oldest);
    }
    return conversation;
  }

  function forget(conversation: Conversation): void {
    open.get(conversation)?.();
    open.delete(conversation);
    withoutSession.delete(conversation);
    for (const [session, each] of sessions) {
      if (each === conversation) {
        sessions.delete(session);
      }
    }
  }

  function bind(conversation: Conversation, session: string): void {
    if (open.has(conversation)) {
      withoutSession.delete(conversation);
      sessions.set(session, conversation);
    }
  }

  return {
    of(session, messages) {
      if (session !== undefined) {
        const known = sessions.get(session);
        const conversation = known ?? begin();
        bind(conversation, session);
        return conversation;
      }
      const ids = messages.flatMap(requestIds);
      const isNew = messages.some((message) => isRecord(message) && message["method"] === "initialize");
      const free = [...withoutSession].findLast(({ inFlight }) => !ids.some((id) => inFlight.has(id)));
      return isNew || free === undefined ? begin() : free;
    },
    has: (session) => sessions.has(session),
    bind,
    end(session) {
      const conversation = sessions.get(session);
      if (conversation !== undefined) {
        forget(conversation);
      }
    },
    pending(work) {
      works.add(work);
      return work.finally(() => works.delete(work));
    },
    async close() {
      await Promise.all(works);
      [...open.keys()].forEach(forget);
    },
  };
}

/** The ID of a request, as JSON. */
export function requestIds(message: unknown): readonly string[] {
  return isRecord(message) && typeof message["method"] === "string" && message["id"] !== undefined
    ? [JSON.stringify(message["id"])]
    : [];
}
