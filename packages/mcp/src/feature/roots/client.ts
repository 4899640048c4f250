import type { Root } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { onlyFields } from "../../base/values.ts";
import type { ClientFeature } from "../../request/client/feature.ts";
import type { ClientRequest } from "../../request/client/request.ts";

/** Returns the folders that a server may know of, each time that it requests them. */
export type RootsSource<R = ClientRequest> = (request: R) => readonly Root[] | Promise<readonly Root[]>;

/** The folders that a client lets its servers know of. Each has its own URI. @source S-110 */
export class RootList {
  readonly #roots = new Map<string, Root>();
  readonly #source: RootsSource | undefined;
  readonly #onChange: () => void;
  #declared: boolean;

  /** @param roots - `undefined`: the client does not speak of roots, until some are added. */
  constructor(roots: readonly Root[] | RootsSource | undefined, onChange: () => void) {
    this.#onChange = onChange;
    this.#declared = roots !== undefined;
    this.#source = typeof roots === "function" ? roots : undefined;
    if (typeof roots !== "function") {
      if (roots !== undefined && !Array.isArray(roots)) {
        const message = `roots must be an array, or a function that returns one; got ${typeof roots}.`;
        throw new McpError("INVALID_DEFINITION", message);
      }
      this.#put(roots ?? []);
    }
  }

  /** Whether sessions that are opened now declare roots. */
  get declared(): boolean {
    return this.#declared;
  }

  /** The roots for a request: first the roots of the function, then the added roots. */
  async listFor(request: ClientRequest): Promise<readonly Root[]> {
    const found = (await this.#source?.(request)) ?? [];
    found.forEach(checkRoot);
    return [...found, ...this.roots];
  }

  /** In the order in which they were added. */
  get roots(): Root[] {
    return [...this.#roots.values()];
  }

  /**
   * Adds roots, and replaces roots with the same URI.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a URI that does not start with `file://`.
   * @source R-601
   */
  add(roots: readonly Root[]): void {
    this.#declared = true;
    this.#put(roots);
    if (roots.length > 0) {
      this.#onChange();
    }
  }

  /**
   * Removes the roots with these URIs. Returns whether any root was removed.
   *
   * @source S-112…S-114
   */
  remove(uris: readonly string[]): boolean {
    const removed = uris.filter((uri) => this.#roots.delete(uri)).length > 0;
    if (removed) {
      this.#onChange();
    }
    return removed;
  }

  /** Replaces all roots. @throws As {@link add}; nothing has changed then. */
  set(roots: readonly Root[]): void {
    roots.forEach(checkRoot);
    this.#roots.clear();
    this.#declared = true;
    this.#put(roots);
    this.#onChange();
  }

  #put(roots: readonly Root[]): void {
    roots.forEach(checkRoot);
    for (const root of roots) {
      this.#roots.set(root.uri, root);
    }
  }
}

function checkRoot({ uri }: Root): void {
  if (typeof uri !== "string" || !uri.startsWith("file://") || !URL.canParse(uri)) {
    throw new McpError("INVALID_DEFINITION", `Root URI must start with file://; got ${JSON.stringify(uri)}.`);
  }
}

/**
 * Handles `roots/list`. Changes are notified if the protocol version has a notification for them.
 *
 * @source R-600
 */
export function rootsFeature(list: RootList): ClientFeature {
  return {
    capabilities: { roots: () => (list.declared ? { listChanged: true } : undefined) },
    methods: {
      "roots/list": async (_, request) => {
        const { session } = request;
        const roots = await list.listFor(request);
        return {
          roots:
            session === undefined ? roots : roots.map((root) => onlyFields(root, session.rules.members.root)),
        };
      },
    },
  };
}
