import { isRecord } from "@tenon/base";

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
  /** The least `ttlMs` of the pages of a modern server, in milliseconds. */
  readonly ttlMs?: number;
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
  /** Why the list may lack further items. */
  #early: string | undefined;
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
    const mended = isTool ? mend(tool) : tool;
    const problem =
      length > this.#maxLength
        ? `is longer than ${this.#maxLength} characters (maxItemLength)`
        : isTool
          ? problemOf(mended)
          : undefined;
    if (problem === undefined) {
      this.#items.push(mended as T);
    } else {
      this.#others.push(item as T);
      this.#drop(`${shown} ${problem}`);
    }
  }

  /** Notes that the rest of the list was not read. @param why - The reason, as a clause. */
  endEarly(why: string): void {
    this.#early = why;
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
    if (this.#dropped === 0 && this.#early === undefined) {
      return undefined;
    }
    const more = this.#dropped > this.#problems.length ? "; …" : "";
    const list = `the ${this.#kind} of ${this.#server}`;
    const dropped = `${this.#dropped} were left out: ${this.#problems.join("; ")}${more}.`;
    const sentences = [
      ...(this.#dropped === 0 ? [] : [`Of ${list} ${dropped}`]),
      ...(this.#early === undefined ? [] : [`The list of ${list} was ended because ${this.#early}.`]),
    ];
    const message = sentences.join(" ");
    const error = new HostError("INVALID_ITEM", message, {
      server: this.#server,
      phase: "list",
      delivered: "yes",
    });
    return { dropped: this.#dropped, error };
  }
}

/**
 * Replaces placeholders for absent values: a missing or null schema, and `[]`, which PHP and Lua
 * write for an empty object.
 */
function mend(tool: Record<string, unknown>): Record<string, unknown> {
  const odd = Object.keys(tool).filter((name) => mayBeEmpty.has(name) && isNothing(tool[name]));
  const { inputSchema } = tool;
  const schema = isRecord(inputSchema) ? mendSchema(inputSchema) : inputSchema;
  if (odd.length === 0 && schema === inputSchema && inputSchema !== undefined) {
    return tool;
  }
  const kept = Object.entries(tool).filter(([name]) => !odd.includes(name));
  const mended = Object.fromEntries(kept);
  return { ...mended, inputSchema: isNothing(schema) ? { type: "object" } : schema };
}

/** The properties of a tool that are objects. */
const mayBeEmpty: ReadonlySet<string> = new Set(["inputSchema", "outputSchema", "annotations", "_meta"]);

function mendSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties, required, ...rest } = schema;
  const isOdd = isEmptyList(properties) || (isRecord(required) && Object.keys(required).length === 0);
  return isOdd
    ? {
        ...rest,
        ...(properties === undefined ? {} : { properties: isEmptyList(properties) ? {} : properties }),
        ...(Array.isArray(required) ? { required } : {}),
      }
    : schema;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || isEmptyList(value);
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
