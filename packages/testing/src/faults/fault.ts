/** The kinds of {@link Fault}. */
export type FaultKind =
  /** It is lost. */
  | "drop"
  /** It arrives `delayMs` later, and so does everything behind it. */
  | "delay"
  /** It arrives twice. */
  | "duplicate"
  /** It arrives behind the next message of its direction. */
  | "reorder"
  /** One character of its JSON is replaced. Read direction only. */
  | "corrupt"
  /** The second half of its JSON is missing. Read direction only. */
  | "truncate"
  /** It and all later messages of its direction are lost. The connection stays open. */
  | "stall"
  /** The connection breaks in its place. */
  | "close";

/** One fault. Plain JSON, so that a plan can be printed and kept. */
export interface Fault {
  readonly kind: FaultKind;
  /** The direction, as seen from the program whose transport is wrapped. */
  readonly dir: "read" | "write";
  /**
   * The method of the messages concerned: requests, notifications, and the responses to such
   * requests. By default the fault concerns all messages.
   */
  readonly method?: string | undefined;
  /**
   * The message concerned, counted from 1 among those that `dir` and `method` name. By default the
   * fault concerns all of them.
   */
  readonly nth?: number | undefined;
  /** The share of the messages concerned, from 0 to 1. Default: 1. */
  readonly probability?: number | undefined;
  /** For `"delay"`: the time, in ms. Default: 1,000. */
  readonly delayMs?: number | undefined;
}

const kinds: readonly FaultKind[] = [
  "drop",
  "delay",
  "duplicate",
  "reorder",
  "corrupt",
  "truncate",
  "stall",
  "close",
];

/** Checks the faults of a plan. @throws `TypeError` that names the fault and its problem. */
export function checkFaults(faults: readonly Fault[]): void {
  for (const [index, { kind, dir, nth, probability }] of faults.entries()) {
    const at = `Fault ${index + 1} of the plan`;
    if (!kinds.includes(kind)) {
      throw new TypeError(`${at} has the kind ${JSON.stringify(kind)}. Known are ${kinds.join(", ")}.`);
    }
    if (dir !== "read" && dir !== "write") {
      throw new TypeError(`${at}: expected dir "read" or "write"; got ${JSON.stringify(dir)}.`);
    }
    if (dir === "write" && (kind === "corrupt" || kind === "truncate")) {
      throw new TypeError(`${at}: "${kind}" works for dir "read" only, because messages are written whole.`);
    }
    if (nth !== undefined && !(Number.isInteger(nth) && nth > 0)) {
      throw new TypeError(`${at}: expected a whole number from 1 for nth; got ${nth}.`);
    }
    if (probability !== undefined && !(probability >= 0 && probability <= 1)) {
      throw new TypeError(`${at}: expected a probability from 0 to 1; got ${probability}.`);
    }
  }
}
