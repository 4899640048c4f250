import { unref } from "@tenon/http/transport";

/** Wakes one reader of a stream. */
export interface Wakeup extends Disposable {
  /** Resolves when the stream was written since the last wait, or after `ms` milliseconds. */
  wait(ms: number): Promise<void>;
}

/** The readers in this process of the streams that other processes write. */
export class Wakeups {
  readonly #readers = new Map<string, Set<() => void>>();

  /** Waits for another process to write a stream, until the result is disposed of. */
  listen(sessionId: string, streamId: string): Wakeup {
    const key = keyOf(sessionId, streamId);
    let isWritten = false;
    let wake: (() => void) | undefined;
    const written = (): void => {
      isWritten = true;
      wake?.();
    };
    const readers = this.#readers.get(key) ?? new Set();
    this.#readers.set(key, readers.add(written));
    return {
      async wait(ms) {
        if (!isWritten) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, ms);
            unref(timer);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
          wake = undefined;
        }
        isWritten = false;
      },
      [Symbol.dispose]: () => {
        readers.delete(written);
        if (readers.size === 0) {
          this.#readers.delete(key);
        }
      },
    };
  }

  /** Another process has written a stream. */
  written(sessionId: string, streamId: string): void {
    this.#readers.get(keyOf(sessionId, streamId))?.forEach((wake) => wake());
  }
}

function keyOf(sessionId: string, streamId: string): string {
  return `${sessionId} ${streamId}`;
}
