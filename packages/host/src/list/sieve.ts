import { isRecord } from "@tenon/jsonrpc2/transport";

import { HostError } from "../error.ts";
import type { ListKind } from "../events.ts";
import type { Fetched } from "./cached-list.ts";
import { listRules } from "./list-kinds.ts";

/** How many times `maxItemLength` a whole list may have. */
const wholeFactor = 64;
/** How many of the items that were left out an error describes. */
const maxDescribed = 5;

/** A fetched list, and its omitted items. */
export interface FetchedList<T> extends Fetched<T> {
  /**
   * The named items that were left out: further definitions of a name, and those that are too long.
   */
  readonly others: readonly T[];
  /** The omitted items and the reason; `undefined` if there are none. */
  readonly incomplete: { readonly dropped: number; readonly error: HostError } | undefined;
}

/** Filters the items of a list one by one, and keeps the valid items. */
export class Sieve<T> {
  readonly #server: string;
  readonly #kind: ListKind;
  readonly #maxLength: number;
  readonly #items: T[] = [];
  readonly #others: T[] = [];
  readonly #names = new Set<string>();
  readonly #problems: string[] = [];
  #dropped = 0;
  #length = 0;

  constructor(server: string, kind: ListKind, maxLength: number) {
    this.#server = server;
    this.#kind = kind;
    this.#maxLength = maxLength;
  }

  refusal(message: string): HostError {
    return new HostError("LIMIT_EXCEEDED", message, {
      server: this.#server,
      phase: "list",
      delivered: "yes",
    });
  }

  /** @throws `HostError` `LIMIT_EXCEEDED` if all items together are too long. */
  take(item: unknown): void {
    const { key } = listRules[this.#kind];
    const name = isRecord(item) ? item[key] : undefined;
    if (typeof name !== "string") {
      this.#drop(`one has no ${key}`);
      return;
    }
    const shown = JSON.stringify(name.slice(0, 100));
    const length = JSON.stringify(item).length;
    this.#length += length;
    if (this.#length > wholeFactor * this.#maxLength) {
      throw this.refusal(
        `The ${this.#kind} of ${this.#server} are longer than ${wholeFactor * this.#maxLength} characters (64 times maxItemLength).`,
      );
    }
    if (this.#names.has(name)) {
      this.#others.push(item as T);
      this.#drop(`${shown} is defined more than once; the first definition counts`);
      return;
    }
    this.#names.add(name);
    const isTool = this.#kind === "tools";
    const tool = item as Record<string, unknown>;
    const problem =
      length > this.#maxLength
        ? `is longer than ${this.#maxLength} characters (maxItemLength)`
        : isTool
          ? problemOf(tool)
          : undefined;
    if (problem === undefined) {
      const lacksSchema = isTool && tool["inputSchema"] === undefined;
      this.#items.push((lacksSchema ? { ...tool, inputSchema: { type: "object" } } : item) as T);
    } else {
      this.#others.push(item as T);
      this.#drop(`${shown} ${problem}`);
    }
  }

  result(freshMs: number): FetchedList<T> {
    return { items: this.#items, others: this.#others, freshMs, incomplete: this.#incomplete() };
  }

  #drop(problem: string): void {
    this.#dropped++;
    if (this.#problems.length < maxDescribed) {
      this.#problems.push(problem);
    }
  }

  #incomplete(): FetchedList<T>["incomplete"] {
    if (this.#dropped === 0) {
      return undefined;
    }
    const more = this.#dropped > this.#problems.length ? "; …" : "";
    const message = `Of the ${this.#kind} of ${this.#server} ${this.#dropped} were left out: ${this.#problems.join("; ")}${more}.`;
    const error = new HostError("INVALID_ITEM", message, {
      server: this.#server,
      phase: "list",
      delivered: "yes",
    });
    return { dropped: this.#dropped, error };
  }
}

/**
 * Why a definition of a tool is not valid: converters for models rely on these properties. A tool
 * without a schema accepts any object.
 */
function problemOf({ inputSchema, description, annotations }: Record<string, unknown>): string | undefined {
  if (inputSchema !== undefined && !isRecord(inputSchema)) {
    return "has an inputSchema that is not an object";
  }
  if (typeof (description ?? "") !== "string") {
    return "has a description that is not a string";
  }
  return isRecord(annotations ?? {}) ? undefined : "has annotations that are not an object";
}
