import { hashedName, plainName } from "./qualified-name.ts";

/** A tool of a server, by the names that the two have themselves. */
export interface ToolAddress {
  readonly server: string;
  readonly tool: string;
}

/**
 * The qualified names of tools. A name is looked up, never parsed, because server names may contain
 * `__`.
 *
 * A pair of server and tool has the same name in every table, unless two pairs have the same head
 * and the same 32 bits of SHA-256; then the later pair gets another hash.
 */
export class NameTable {
  /** By server, then tool. The tools that were named last are last. */
  readonly #names = new Map<string, Map<string, string>>();
  readonly #addresses = new Map<string, ToolAddress>();
  readonly #maxNames: number;

  /**
   * Creates an empty table.
   *
   * @param maxNames - Maximum number of names of one server. Above it, the name that has not been
   *   requested for the longest time is removed, so that a server that keeps inventing tools does
   *   not displace the names of others. Default: `20_000`.
   */
  constructor({ maxNames = 20_000 }: { readonly maxNames?: number | undefined } = {}) {
    this.#maxNames = maxNames;
  }

  /** How many names there are. */
  get size(): number {
    return this.#addresses.size;
  }

  /** The name of a tool, given now if it has none. @source S-253 */
  nameOf(server: string, tool: string): string {
    let names = this.#names.get(server);
    if (names === undefined) {
      names = new Map();
      this.#names.set(server, names);
    }
    const known = names.get(tool);
    const name = known ?? this.#give(server, tool);
    if (known !== undefined) {
      names.delete(tool);
    }
    names.set(tool, name);
    const [oldest] = names;
    if (names.size > this.#maxNames && oldest !== undefined) {
      names.delete(oldest[0]);
      this.#addresses.delete(oldest[1]);
    }
    return name;
  }

  /** The server and tool of a name; `undefined` if the name is unknown or was removed. */
  addressOf(name: string): ToolAddress | undefined {
    return this.#addresses.get(name);
  }

  #give(server: string, tool: string): string {
    let name = plainName(server, tool) ?? hashedName(server, tool, 0);
    for (let salt = 1; this.#addresses.has(name); salt++) {
      name = hashedName(server, tool, salt);
    }
    this.#addresses.set(name, { server, tool });
    return name;
  }
}
