import { canonicalJson } from "@tenon/base/canonical-json";
import type { Tool } from "@tenon/protocol";

import { sha256 } from "../names/sha256.ts";

/**
 * The hashes of tool definitions, by server and tool. Plain data: it may be stored, and given to
 * the next manager.
 */
export type Pins = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The hash of a complete definition, independent of the order of properties: a changed description
 * is a changed tool.
 */
export function hashTool(tool: Tool): string {
  return sha256(canonicalJson(tool));
}

/** The difference between the definition of a tool and its pin. */
export interface Drift {
  readonly tool: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The listed definition. */
  readonly definition: Tool | undefined;
}

/**
 * Maximum number of pins of one server, because a server may invent new tools indefinitely. Further
 * tools count as changed until they are accepted.
 */
const maxPins = 20_000;

/** The pins of all servers: the definition of each tool when it was first seen or accepted. */
export class PinBoard {
  readonly #servers = new Map<string, Map<string, string>>();
  /** The last listed definition, if it differs from the pin. */
  readonly #drifted = new Map<string, Map<string, string | undefined>>();

  constructor(pins: Pins = {}) {
    for (const [server, tools] of Object.entries(pins)) {
      this.#servers.set(server, new Map(Object.entries(tools)));
    }
  }

  /** True if the server has pins, so that its tools can drift. */
  has(server: string): boolean {
    return this.#servers.has(server);
  }

  /**
   * Compares a server's tools with its pins. If the server has no pins, its tools are pinned.
   *
   * @param others - Definitions that are not listed, because their name is already used or they are
   *   not valid. They count, because a second definition of a tool changes it.
   * @param adopts - Whether new tools are pinned. They are still reported once.
   * @returns The differences that the previous call did not report.
   */
  check(server: string, tools: readonly Tool[], others: readonly Tool[], adopts: boolean): Drift[] {
    const hashes = hashesOf(tools, others);
    const pinned = this.#servers.get(server);
    if (pinned === undefined) {
      this.#servers.set(server, hashes);
      return [];
    }
    const known = this.#drifted.get(server) ?? new Map<string, string | undefined>();
    const drifted = new Map<string, string | undefined>();
    const changed = new Map<string, Omit<Drift, "tool" | "definition">>();
    for (const tool of new Set([...pinned.keys(), ...hashes.keys()])) {
      const before = pinned.get(tool);
      const after = hashes.get(tool);
      if (before === after) {
        continue;
      }
      if (!known.has(tool) || known.get(tool) !== after) {
        changed.set(tool, { before, after });
      }
      if (adopts && before === undefined && after !== undefined && pinned.size < maxPins) {
        pinned.set(tool, after);
      } else {
        drifted.set(tool, after);
      }
    }
    this.#drifted.set(server, drifted);
    const definitions = new Map(changed.size === 0 ? [] : tools.map((tool) => [tool.name, tool]));
    return [...changed].map(([tool, hash]) => ({ tool, ...hash, definition: definitions.get(tool) }));
  }

  /** True if the tool is not as it was pinned. */
  isDrifted(server: string, tool: string): boolean {
    return this.#drifted.get(server)?.has(tool) === true;
  }

  /** Pins the current definition of a tool or, without a name, of all tools of the server. */
  accept(server: string, tool?: string): void {
    const drifted = this.#drifted.get(server);
    const pinned = this.#servers.get(server);
    for (const [name, hash] of [...(drifted ?? [])]) {
      if (tool === undefined || tool === name) {
        drifted?.delete(name);
        if (hash === undefined) {
          pinned?.delete(name);
        } else {
          pinned?.set(name, hash);
        }
      }
    }
  }

  /** All pins, to be stored. */
  get pins(): Pins {
    return Object.fromEntries(
      [...this.#servers].map(([server, tools]) => [server, Object.fromEntries(tools)]),
    );
  }
}

/** The hash of each name: of its definition, or of all of them if there are several. */
function hashesOf(tools: readonly Tool[], others: readonly Tool[]): Map<string, string> {
  const hashes = new Map(tools.map((tool) => [tool.name, hashTool(tool)]));
  for (const tool of others) {
    const before = hashes.get(tool.name);
    const hash = hashTool(tool);
    hashes.set(tool.name, before === undefined ? hash : sha256(`${before} ${hash}`));
  }
  return hashes;
}
