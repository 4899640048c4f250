import { inTime, systemClock, type Clock } from "@tenon/base";
import { StoreError } from "@tenon/stores";

/** Writes or reads many calls by one statement. */
export interface Group<Item, Result> {
  /**
   * Adds a call to the next batch. Rejects with `STORE_FULL` if too many calls wait, and with the
   * error of `run`.
   */
  add(item: Item): Promise<Result>;
}

/** Limits of a {@link Group}. */
export interface GroupLimits {
  /** Maximum time of a batch, and of a call that waits for one, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of calls that wait. */
  readonly maxWaiting: number;
  /** Maximum length of the calls that wait, in UTF-16 code units. One call may exceed it. */
  readonly maxWaitingLength: number;
}

/** The parts in which groups differ. */
export interface GroupSetup<Item, Result> {
  /** The calls, as the beginning of a sentence. */
  readonly subject: string;
  readonly limits: GroupLimits;
  /** Returns the length of a call, in UTF-16 code units. Default: 0. */
  readonly lengthOf?: ((item: Item) => number) | undefined;
  /**
   * Called for each batch. The result decides which calls may be in it: it may remember the calls
   * that it has admitted. Other calls wait for a later batch. By default all are admitted.
   */
  readonly admits?: (() => (item: Item) => boolean) | undefined;
  /** Runs a batch by one statement. @returns A result for each call, in their order. */
  run(batch: readonly Item[]): Promise<readonly Result[]>;
  /** Measures `timeoutMs`. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** A call that waits. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly length: number;
  /** When its caller has given up. */
  readonly until: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Maximum number of calls in a batch. */
const maxBatch = 512;
/** Maximum length of a batch, in UTF-16 code units. One call may exceed it. */
const maxBatchLength = 4_000_000;

/** Runs a callback after all I/O that has arrived: calls that it causes are in one batch. */
const soon: (callback: () => void) => unknown =
  (globalThis as { setImmediate?: (callback: () => void) => unknown }).setImmediate ?? queueMicrotask;

/**
 * Creates a {@link Group}. One batch runs at a time, so calls that arrive in the meantime are run
 * together: one commit of the database serves all of them. Calls keep their order, unless `admits`
 * holds one back. If a statement fails because of a call, the batch is repeated in halves, so that
 * only this call fails.
 */
export function createGroup<Item, Result>({
  subject,
  limits: { timeoutMs, maxWaiting, maxWaitingLength },
  lengthOf = () => 0,
  admits = () => () => true,
  run,
  clock = systemClock,
}: GroupSetup<Item, Result>): Group<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let waitingLength = 0;
  let isBusy = false;

  /** Removes the calls of the next batch from those that wait. */
  function take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    const isAdmitted = admits();
    let batchLength = 0;
    let index = 0;
    for (; index < waiting.length && batch.length < maxBatch; index++) {
      const call = waiting[index] as Waiting<Item, Result>;
      if (call.until <= clock.now()) {
        waitingLength -= call.length;
        call.reject(new StoreError("STORE_FAILED", `${subject} waited longer than ${timeoutMs} ms.`));
      } else if (batch.length > 0 && batchLength + call.length > maxBatchLength) {
        break;
      } else if (isAdmitted(call.item)) {
        batch.push(call);
        batchLength += call.length;
      } else {
        later.push(call);
      }
    }
    waiting = [...later, ...waiting.slice(index)];
    waitingLength -= batchLength;
    return batch;
  }

  /** Runs calls. Never rejects. */
  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length > 1 && isRolledBack(error)) {
        const middle = batch.length >> 1;
        await settle(batch.slice(0, middle));
        await settle(batch.slice(middle));
      } else {
        batch.forEach(({ reject }) => reject(error));
      }
    }
  }

  /** Runs a batch. The next batch follows when it has ended, or its callers have given up. */
  async function next(): Promise<void> {
    const batch = take();
    if (batch.length > 0) {
      await inTime(settle(batch), timeoutMs, { expired: () => undefined, clock });
    }
    schedule();
  }

  function schedule(): void {
    isBusy = waiting.length > 0;
    if (isBusy) {
      soon(() => void next());
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const length = lengthOf(item);
        if (
          waiting.length >= maxWaiting ||
          (waiting.length > 0 && waitingLength + length > maxWaitingLength)
        ) {
          throw new StoreError("STORE_FULL", `${subject}: too many wait (maxWaiting, maxWaitingLength).`);
        }
        waiting.push({ item, length, until: clock.now() + timeoutMs, resolve, reject });
        waitingLength += length;
        if (!isBusy) {
          schedule();
        }
      }),
  };
}

/**
 * Whether the server has undone a statement because of its values or of another statement.
 * Otherwise the statement may have had an effect, or would fail again.
 */
function isRolledBack(error: unknown): boolean {
  // Classes of the appendix "Error Codes": data, constraints, conflicts, and sizes.
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^(?:2[23]|40(?!003)|54)\w{3}$/.test(code);
}
