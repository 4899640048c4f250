/** What a callback brings, to be taken one at a time. */
export interface Inbox<T> {
  readonly put: (value: T) => void;
  /** The next value. Waits for it. */
  take(): Promise<T>;
  /** What nobody has taken yet. */
  readonly waiting: T[];
}

/** Waits for values that a callback brings. */
export function inbox<T>(): Inbox<T> {
  const waiting: T[] = [];
  const takers: ((value: T) => void)[] = [];
  return {
    waiting,
    put: (value) => {
      const taker = takers.shift();
      if (taker === undefined) {
        waiting.push(value);
      } else {
        taker(value);
      }
    },
    take: () =>
      new Promise((resolve) => {
        if (waiting.length > 0) {
          resolve(waiting.shift() as T);
        } else {
          takers.push(resolve);
        }
      }),
  };
}
