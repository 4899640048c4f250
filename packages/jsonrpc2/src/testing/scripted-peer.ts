import { encode } from "../codec/encode.ts";
import { connectionClosed } from "../error.ts";
import type { ErrorObject, Incoming, Message, Outgoing, Request } from "../message.ts";
import type { Connection } from "../transport.ts";
import { writeAccepted } from "../write-accepted.ts";

/**
 * A remote peer that a test controls. It sends exactly the messages that the test writes, valid or
 * not.
 */
export interface ScriptedPeer {
  /** The transport that the side under test connects to. */
  readonly connection: Connection;
  /** Everything the side under test has written so far, as it would have arrived. */
  readonly received: readonly (Message | readonly Message[])[];
  /** True while the side under test waits in `read`. */
  readonly isRead: boolean;
  /** True once the side under test has closed the connection. */
  readonly isClosed: boolean;
  /**
   * The next thing written that was not taken yet; waits for it. Rejects when the connection is
   * closed.
   */
  next(): Promise<Message | readonly Message[]>;
  /** {@link next}, which must be a request. */
  nextRequest(): Promise<Request>;
  /** Sends these messages to the side under test, in order. */
  send(...incoming: readonly Incoming[]): void;
  /** Responds to a request. */
  answer(request: Request, result: unknown): void;
  /** Responds to a request with an error. */
  refuse(request: Request, error: ErrorObject): void;
  /** Ends the stream normally, after what was sent. */
  end(): void;
  /** Breaks the stream, after what was sent. */
  fail(error: unknown): void;
  /**
   * From now on nothing that is written is accepted, as if a buffer were full; `release` accepts it
   * all.
   */
  hold(): void;
  /** Accepts the messages that `hold` has kept waiting, and all messages that are written later. */
  release(): void;
  /** From now on every write fails with this; `undefined` ends that. */
  failWrites(error: unknown): void;
}

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Creates a {@link ScriptedPeer}. Messages pass through JSON, as on a real transport. */
export function createScriptedPeer(): ScriptedPeer {
  const incoming: Incoming[] = [];
  const received: (Message | readonly Message[])[] = [];
  let reader: Waiting<Incoming | undefined> | undefined;
  let watcher: Waiting<Message | readonly Message[]> | undefined;
  let finished: { error?: unknown } | undefined;
  let held: Waiting<void>[] | undefined;
  let writeError: unknown;
  let taken = 0;
  let closed = false;

  function settle(to: Waiting<Incoming | undefined>): void {
    const next = closed ? undefined : incoming.shift();
    if (next !== undefined) {
      to.resolve(next);
    } else if (finished?.error !== undefined) {
      to.reject(finished.error);
    } else {
      to.resolve(undefined);
    }
  }

  function wake(): void {
    if (reader !== undefined && (closed || incoming.length > 0 || finished !== undefined)) {
      const waiting = reader;
      reader = undefined;
      settle(waiting);
    }
  }

  function close(): Promise<void> {
    closed = true;
    finished = {};
    wake();
    for (const write of held ?? []) {
      write.reject(connectionClosed());
    }
    held = undefined;
    watcher?.reject(connectionClosed());
    watcher = undefined;
    return Promise.resolve();
  }

  const connection: Connection = {
    read() {
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
        wake();
      });
    },
    write(message: Outgoing) {
      if (closed) {
        return Promise.reject(connectionClosed());
      }
      if (writeError !== undefined) {
        return Promise.reject(writeError);
      }
      try {
        received.push(JSON.parse(encode(message)) as Message);
      } catch (error) {
        return Promise.reject(error);
      }
      const waiting = watcher;
      const written = received[taken];
      if (waiting !== undefined && written !== undefined) {
        watcher = undefined;
        taken++;
        waiting.resolve(written);
      }
      return held === undefined
        ? writeAccepted
        : new Promise((resolve, reject) => {
            held?.push({ resolve, reject });
          });
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  const scripted: ScriptedPeer = {
    connection,
    received,
    get isRead() {
      return reader !== undefined;
    },
    get isClosed() {
      return closed;
    },
    next() {
      const written = received[taken];
      if (written !== undefined) {
        taken++;
        return Promise.resolve(written);
      }
      return closed
        ? Promise.reject(connectionClosed())
        : new Promise((resolve, reject) => {
            watcher = { resolve, reject };
          });
    },
    async nextRequest() {
      const message = await scripted.next();
      if ("method" in message && "id" in message) {
        return message;
      }
      throw new Error(`Expected a request, got ${JSON.stringify(message)}.`);
    },
    send(...messages) {
      incoming.push(...messages);
      wake();
    },
    answer({ id }, result) {
      scripted.send({ jsonrpc: "2.0", id, result });
    },
    refuse({ id }, error) {
      scripted.send({ jsonrpc: "2.0", id, error });
    },
    end() {
      finished ??= {};
      wake();
    },
    fail(error) {
      finished ??= { error };
      wake();
    },
    hold() {
      held ??= [];
    },
    release() {
      const writes = held ?? [];
      held = undefined;
      for (const write of writes) {
        write.resolve();
      }
    },
    failWrites(error) {
      writeError = error;
    },
  };
  return scripted;
}
