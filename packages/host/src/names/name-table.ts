import { HostError } from "../error.ts";
import { hashedName, plainName } from "./qualified-name.ts";

/** A tool of a server, by the names that the two have themselves. */
export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/**
 * The qualified names that were given, and what they stand for. A name is looked up, never taken apart: server names may contain `__`.
 *
 * The same pair always has the same name, in this table and in any other, unless two pairs have the same head and the same 32 bits of SHA-256; then the later one
 * gets another hash.
 */
export class NameTable {
  readonly #names = new Map<string, Map<string, string>>();
  readonly #addresses = new Map<string, ToolAddress>();
  readonly #maxNames: number;

  /** Makes an empty table. @param maxNames - Most names in the table. Default 1 000 000. */
  constructor({ maxNames = 1_000_000 }: { readonly maxNames?: number | undefined } = {}) {
    this.#maxNames = maxNames;
  }

  /** How many names were given. */
  get size(): number {
    return this.#addresses.size;
  }

  /** The name of a tool, given now if it has none. @throws `HostError` `LIMIT_EXCEEDED` beyond `maxNames`. @source S-253 */
  nameOf(server: string, tool: string): string {
    let names = this.#names.get(server);
    if (names === undefined) {
      names = new Map();
      this.#names.set(server, names);
    }
    let name = names.get(tool);
    if (name === undefined) {
      name = this.#give(server, tool);
      names.set(tool, name);
    }
    return name;
  }

  /** What a name stands for; `undefined` if it was never given. */
  addressOf(name: string): ToolAddress | undefined {
    return this.#addresses.get(name);
  }

  #give(server: string, tool: string): string {
    if (this.#addresses.size >= this.#maxNames) {
      throw new HostError("LIMIT_EXCEEDED", `More than ${this.#maxNames} tools have been named (maxNames).`, {
        server,
        phase: "list",
      });
    }
    let name = plainName(server, tool) ?? hashedName(server, tool, 0);
    for (let salt = 1; this.#addresses.has(name); salt++) {
      name = hashedName(server, tool, salt);
    }
    this.#addresses.set(name, { server, tool });
    return name;
  }
}
