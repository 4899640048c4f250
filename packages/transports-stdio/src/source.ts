import type { Readable } from "node:stream";

/**
 * Bytes pulled from a stream: nothing is read ahead beyond the stream's own buffer and the chunk in
 * hand.
 */
export interface Source {
  /** The next chunk, `undefined` at the end. Rejects if the stream fails. One caller at a time. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** From now on nothing much is expected: a read that waits longer than this ends the source. */
  expectEnd(withinMs: number): void;
  /**
   * Ends the source: a pending read and all later reads return `undefined`, or reject if there is
   * an error.
   */
  end(error?: unknown): void;
}

/**
 * Number of bytes after which the event loop runs before more are read. The runtime reads up to
 * thirty-two chunks in a row from a pipe that is never empty. Without this limit, all of them would
 * be handled before any timer or other event.
 */
const turnBytes = 65_536;

/** Pulls from a readable stream. What arrived before its end or failure is delivered first. */
export function createSource(stream: Readable): Source {
  const chunks: Uint8Array[] = [];
  let finished: { error?: unknown } | undefined;
  let taken = 0;
  let patienceMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waiting: { resolve(chunk: Uint8Array | undefined): void; reject(error: unknown): void } | undefined;

  function finish(result: { error?: unknown }): void {
    if (finished !== undefined) {
      return;
    }
    finished = result;
    clearTimeout(timer);
    stream.off("data", onData);
    if (waiting !== undefined) {
      settle(waiting);
      waiting = undefined;
    }
  }

  function settle(reader: NonNullable<typeof waiting>): void {
    if (finished?.error !== undefined) {
      reader.reject(finished.error);
    } else {
      reader.resolve(undefined);
    }
  }

  function onData(chunk: Uint8Array): void {
    taken += chunk.length;
    if (waiting === undefined) {
      chunks.push(chunk);
      stream.pause();
    } else {
      clearTimeout(timer);
      waiting.resolve(chunk);
      waiting = undefined;
    }
  }

  function startTimer(): void {
    if (patienceMs !== undefined && waiting !== undefined && finished === undefined) {
      timer = setTimeout(() => finish({}), patienceMs);
    }
  }

  function pull(reader: NonNullable<typeof waiting>): void {
    const chunk = chunks.shift();
    if (chunk !== undefined) {
      reader.resolve(chunk);
    } else if (finished !== undefined) {
      settle(reader);
    } else {
      waiting = reader;
      stream.resume();
      startTimer();
    }
  }

  stream.on("data", onData);
  stream.pause();
  stream.once("end", () => finish({}));
  stream.once("close", () => finish({}));
  stream.on("error", (error) => finish({ error }));

  return {
    read() {
      return new Promise((resolve, reject) => {
        const reader = { resolve, reject };
        if (taken < turnBytes) {
          pull(reader);
        } else {
          taken = 0;
          setImmediate(pull, reader);
        }
      });
    },
    expectEnd(withinMs) {
      patienceMs = withinMs;
      startTimer();
    },
    end(error) {
      chunks.length = 0;
      stream.pause();
      finish({ error });
    },
  };
}
