import type { ClientExtension } from "@tenon/mcp";

import { HostError } from "../error.ts";
import type { Member } from "./member.ts";

/** The servers of a manager, by name. */
export class Members {
  readonly #members = new Map<string, Member>();
  readonly #maxServers: number;
  /** The extensions of the clients. Clients of servers that are added later get them too. */
  readonly extensions: ClientExtension[] = [];
  #sorted: readonly Member[] | undefined;
  #isClosed = false;

  /** @param maxServers - Maximum number of servers. */
  constructor(maxServers: number) {
    this.#maxServers = maxServers;
  }

  /** All of them, in the order of their names. */
  get sorted(): readonly Member[] {
    this.#sorted ??= [...this.#members.values()].toSorted((a, b) => (a.server.name < b.server.name ? -1 : 1));
    return this.#sorted;
  }

  /** Adds extensions to the clients of all servers. */
  use(extensions: readonly ClientExtension[]): void {
    this.sorted.forEach(({ client }) => client.use(...extensions));
    this.extensions.push(...extensions);
  }

  /** A server, if there is one of that name. */
  find(name: string): Member | undefined {
    return this.#members.get(name);
  }

  /** A server. @throws `HostError` `UNKNOWN_SERVER`; `CLOSED` after {@link close}. */
  get(name: string): Member {
    this.checkOpen(name);
    const member = this.#members.get(name);
    if (member === undefined) {
      const known = this.sorted.slice(0, 20).map(({ server }) => server.name);
      const message = `No server is named ${JSON.stringify(name)}; there are: ${known.join(", ")}.`;
      throw new HostError("UNKNOWN_SERVER", message, { phase: "connect" });
    }
    return member;
  }

  /**
   * Adds a server.
   *
   * @throws `HostError` `INVALID_OPTION` for a name that is taken or empty, or too many servers;
   *   `CLOSED`.
   */
  add(name: string, create: () => Member): void {
    this.checkOpen(name);
    const refuse = (message: string): never => {
      throw new HostError("INVALID_OPTION", message, { server: name, phase: "config" });
    };
    if (name === "" || this.#members.has(name)) {
      refuse(`Server name ${JSON.stringify(name)} is empty or already used.`);
    }
    if (this.#members.size >= this.#maxServers) {
      const limit = `the limit of ${this.#maxServers} servers (maxServers) is reached`;
      refuse(`Cannot add ${JSON.stringify(name)}: ${limit}.`);
    }
    this.#members.set(name, create());
    this.#sorted = undefined;
  }

  /** From now on no server is given or taken. */
  close(): void {
    this.#isClosed = true;
  }

  /** @throws `HostError` `CLOSED` after {@link close}. */
  checkOpen(server?: string): void {
    if (this.#isClosed) {
      throw new HostError("CLOSED", "Cannot use the manager: it is closed.", { server, phase: "connect" });
    }
  }
}
