/** Number of readers that are notified in one turn of the event loop. */
const sliceSize = 100;

/**
 * Maximum number of readers that wait, each counted once per change. Above it, all of them are
 * notified at once, because a change must not be lost.
 */
const maxWaiting = 100_000;

/** Work for a number of readers. */
interface Job {
  readonly readers: readonly unknown[];
  readonly tell: (reader: never) => void;
  next: number;
}

/**
 * Notifies many readers, a slice per turn of the event loop, so that requests are handled in
 * between. Every reader is notified in the order of the calls, but a call replaces an equal one
 * that waits: during a storm of changes the queue is never longer than the number of different
 * changes. Up to one slice of readers is notified at once.
 */
export class Slices {
  /** By key, in their order. */
  readonly #waiting = new Map<string, Job>();
  #running: Job | undefined;
  #busy = false;
  #telling = false;
  readonly #onError: (error: unknown) => void;
  /** The number of readers that the jobs have left. */
  #left = 0;

  /** @param onError - Called with what `tell` throws. The next reader is notified. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /**
   * Calls `tell` for each reader.
   *
   * @param key - Equal for equal changes. Of equal changes that wait, only the newest remains, so
   *   its readers must include all remaining readers of the others.
   */
  each<T>(key: string, readers: readonly T[], tell: (reader: T) => void): void {
    if (readers.length === 0) {
      return;
    }
    this.#left += readers.length - (this.#waiting.get(key)?.readers.length ?? 0);
    this.#waiting.set(key, { readers, tell, next: 0 });
    if (!this.#busy) {
      this.#runAndGoOn();
    } else if (this.#left > maxWaiting && !this.#telling) {
      this.#run(Infinity);
    }
  }

  #runAndGoOn(): void {
    this.#busy = true;
    this.#run(sliceSize);
    this.#busy = this.#running !== undefined || this.#waiting.size > 0;
    if (this.#busy) {
      setTimeout(() => {
        this.#runAndGoOn();
      }, 0);
    }
  }

  /** Notifies a number of readers at most. */
  #run(count: number): void {
    let left = count;
    this.#telling = true;
    for (let job = this.#job(); job !== undefined && left > 0; job = this.#job()) {
      const end = Math.min(job.next + left, job.readers.length);
      left -= end - job.next;
      this.#left -= end - job.next;
      while (job.next < end) {
        this.#tell(job, job.readers[job.next++]);
      }
      if (job.next === job.readers.length) {
        this.#running = undefined;
      }
    }
    this.#telling = false;
  }

  #tell({ tell }: Job, reader: unknown): void {
    try {
      tell(reader as never);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** The running job, or the next waiting job. */
  #job(): Job | undefined {
    if (this.#running === undefined) {
      for (const [key, job] of this.#waiting) {
        this.#waiting.delete(key);
        this.#running = job;
        break;
      }
    }
    return this.#running;
  }
}
