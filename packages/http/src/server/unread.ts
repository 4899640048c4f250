/** Maximum number of unread bytes in all responses of one process. */
const maxBytes = 64 * 1024 * 1024;

/** A response that its client has not read. */
export interface UnreadAnswer {
  /** The network of the client. */
  readonly network: string;
  /** When the client last read some of it, on the clock of `performance.now()`. */
  readonly movedAt: number;
  /** Aborts the response. */
  abort(): void;
}

/** The responses to one network. */
interface Reader {
  bytes: number;
  readonly answers: Map<UnreadAnswer, number>;
}

let total = 0;
let count = 0;
const readers = new Map<string, Reader>();

/**
 * Sets the number of unread bytes of a response. If all responses of the process together have more
 * than 64 MiB unread, responses to the network with the most unread bytes are aborted, starting
 * with the response that has made no progress for the longest time. A single response may be
 * longer.
 */
export function setUnread(answer: UnreadAnswer, bytes: number): void {
  change(answer, bytes);
  while (total > maxBytes && count > 1) {
    const stalled = longestStalled();
    if (stalled === undefined) {
      return;
    }
    change(stalled, 0);
    stalled.abort();
  }
}

function change(answer: UnreadAnswer, bytes: number): void {
  const reader = readers.get(answer.network) ?? { bytes: 0, answers: new Map<UnreadAnswer, number>() };
  const before = reader.answers.get(answer) ?? 0;
  reader.bytes += bytes - before;
  total += bytes - before;
  count += Number(bytes > 0) - Number(before > 0);
  if (bytes > 0) {
    reader.answers.set(answer, bytes);
    readers.set(answer.network, reader);
  } else {
    reader.answers.delete(answer);
    if (reader.answers.size === 0) {
      readers.delete(answer.network);
    }
  }
}

function longestStalled(): UnreadAnswer | undefined {
  let largest: Reader | undefined;
  for (const reader of readers.values()) {
    if (largest === undefined || reader.bytes > largest.bytes) {
      largest = reader;
    }
  }
  let stalled: UnreadAnswer | undefined;
  for (const answer of largest?.answers.keys() ?? []) {
    if (stalled === undefined || answer.movedAt < stalled.movedAt) {
      stalled = answer;
    }
  }
  return stalled;
}
