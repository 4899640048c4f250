import { canonicalJson } from "@tenon/base/canonical-json";

import { decode } from "../codec/decode.ts";
import { encode } from "../codec/encode.ts";
import { connectionClosed, LocalError } from "../error.ts";
import type { Incoming, Outgoing } from "../message.ts";
import type { Connection, Transport } from "../transport.ts";
import type { LogEntry } from "../wrap/logging-transport.ts";
import { writeAccepted } from "../write-accepted.ts";

/** Options of {@link replayTranscript}. */
export interface ReplayOptions {
  /**
   * Whether a message that is written now is the one that was written then. Default: their JSON is
   * equal, the order of properties aside.
   */
  readonly matches?: ((recorded: unknown, written: unknown) => boolean) | undefined;
}

/** A transport that replays the messages of the remote peer in a recorded conversation. */
export interface Replay extends Transport {
  /** Resolves when everything recorded has happened again; rejects when something else happened. */
  readonly done: Promise<void>;
}

/**
 * Reads a transcript as `LoggingTransport` writes it: one JSON object per line, see `LogEntry`.
 * Empty lines are skipped.
 *
 * @throws `SyntaxError` for a line that is not JSON.
 */
export function parseTranscript(text: string): LogEntry[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as LogEntry);
}

/**
 * Plays a recorded conversation back to the side that was recorded: what it read then it reads
 * again, as soon as it has written what it wrote before; what it writes must be what it wrote then.
 * A difference breaks the connection with `INVALID_STATE`. Times are not kept.
 */
export function replayTranscript(
  transcript: string | readonly LogEntry[],
  options: ReplayOptions = {},
): Replay {
  const entries = typeof transcript === "string" ? parseTranscript(transcript) : transcript;
  const matches =
    options.matches ?? ((recorded, written) => canonicalJson(recorded) === canonicalJson(written));
  let finish: (error?: unknown) => void = () => {};
  const done = new Promise<void>((resolve, reject) => {
    finish = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Callers that use only the conversation need not handle `done`.
  done.catch(() => {});
  return {
    done,
    connect: () => Promise.resolve(replayConnection(entries, matches, finish)),
  };
}

/** One entry that has not happened again yet, and where it stands. */
interface Expected {
  readonly entry: LogEntry;
  readonly line: number;
}

function replayConnection(
  entries: readonly LogEntry[],
  matches: (recorded: unknown, written: unknown) => boolean,
  finish: (error?: unknown) => void,
): Connection {
  // A write that failed then had no receiver, so the next write need not wait.
  const expected: Expected[] = entries
    .map((entry, index) => ({ entry, line: index + 1 }))
    .filter(({ entry }) => entry.dir !== "write" || "message" in entry);
  let closed = false;
  let broken: { error: unknown } | undefined;
  let reader: { resolve(incoming: Incoming | undefined): void; reject(error: unknown): void } | undefined;

  function advance(): void {
    const entry = expected[0]?.entry;
    if (entry === undefined) {
      finish();
    }
    const waiting = reader;
    if (waiting === undefined || (entry?.dir === "write" && !closed && broken === undefined)) {
      return;
    }
    reader = undefined;
    if (broken !== undefined) {
      waiting.reject(broken.error);
    } else if (closed || entry === undefined || entry.dir === "end") {
      expected.length = 0;
      finish();
      waiting.resolve(undefined);
    } else {
      expected.shift();
      // The text of a malformed message is not recorded. Any malformed text replaces it.
      waiting.resolve("message" in entry ? decode(JSON.stringify(entry.message)) : decode("?"));
      advance();
    }
  }

  function differ(written: unknown): Promise<never> {
    const next = expected[0];
    const then = next === undefined ? "is over" : `has ${JSON.stringify(next.entry)} in line ${next.line}`;
    const message = `The transcript ${then}, but ${JSON.stringify(written)} was written.`;
    broken ??= { error: new LocalError("INVALID_STATE", message) };
    finish(broken.error);
    advance();
    return Promise.reject(connectionClosed(undefined, { cause: broken.error }));
  }

  const connection: Connection = {
    read: () =>
      new Promise((resolve, reject) => {
        reader = { resolve, reject };
        advance();
      }),
    write(message: Outgoing) {
      if (closed || broken !== undefined) {
        return Promise.reject(connectionClosed(undefined, { cause: broken?.error }));
      }
      let written: unknown;
      try {
        written = JSON.parse(encode(message));
      } catch (error) {
        return Promise.reject(error);
      }
      const found = findWrite(expected, (recorded) => matches(recorded, written));
      if (found < 0) {
        return differ(written);
      }
      expected.splice(found, 1);
      advance();
      return writeAccepted;
    },
    close() {
      closed = true;
      advance();
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

/**
 * Concurrent messages may leave in another order now: all that were written before the next read
 * are candidates.
 */
function findWrite(expected: readonly Expected[], matches: (recorded: unknown) => boolean): number {
  for (const [at, { entry }] of expected.entries()) {
    if (entry.dir !== "write" || !("message" in entry)) {
      return -1;
    }
    if (matches(entry.message)) {
      return at;
    }
  }
  return -1;
}
