import { isRecord, quotedMessage } from "@tenon/base";
import { NameTable, type ListItems, type ListKind } from "@tenon/host";

import type { ReceivedParams } from "../source/source.ts";
import { transformTool } from "../transform/apply.ts";
import type { Transform } from "../transform/changes.ts";
import type { Part } from "./part.ts";
import { withUris } from "./uris.ts";

/** A tool or a prompt that clients see, and the way to it. */
export interface Offer {
  readonly part: Part;
  /** The name at the source. */
  readonly name: string;
  readonly inward: ((args: ReceivedParams) => ReceivedParams) | undefined;
  readonly outward: ((result: ReceivedParams) => ReceivedParams) | undefined;
}

/** The items of all parts as clients see them. */
export interface Offers {
  /** The items of a part for clients. The same array for the same items. */
  shown<K extends ListKind>(kind: K, part: Part, items: readonly ListItems[K][]): readonly ListItems[K][];
  /** The way to a tool or prompt; `undefined` if it was never listed, or is hidden. */
  find(kind: "tools" | "prompts", name: string): Offer | undefined;
}

/** Options of {@link createOffers}. */
export interface OffersOptions {
  readonly transforms: readonly Transform[];
  /** Whether tools and prompts keep their own names as long as they differ. */
  readonly ownNames: boolean;
  readonly onError: (error: unknown, source: string) => void;
}

/** Maximum number of names of one kind. Those that were listed longest ago are forgotten. */
const maxOffers = 100_000;
/** The names of tools that the vendors of models accept. */
const isName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Creates the table of what clients see. */
export function createOffers({ transforms, ownNames, onError }: OffersOptions): Offers {
  const names = new NameTable();
  const offers = { tools: new Map<string, Offer>(), prompts: new Map<string, Offer>() };
  const shownOf = new WeakMap<readonly unknown[], readonly unknown[]>();
  const complained = new Set<string>();

  function complain(part: Part, what: string, error: unknown): void {
    const key = `${part.name} ${what}`;
    if (!complained.has(key) && complained.size < maxOffers) {
      complained.add(key);
      onError(error, part.name);
    }
  }

  /** Names an item. A name that another item has already is not taken from it. */
  function place(kind: "tools" | "prompts", wanted: string | undefined, offer: Offer): string {
    const { part, name } = offer;
    const table = offers[kind];
    const qualified = names.nameOf(part.name, name);
    const isFree = (candidate: string): boolean => {
      const owner = table.get(candidate);
      return (owner === undefined || (owner.part === part && owner.name === name)) && isName.test(candidate);
    };
    const candidate = wanted ?? (ownNames ? name : undefined);
    const given = candidate !== undefined && isFree(candidate) ? candidate : qualified;
    if (wanted !== undefined && given !== wanted) {
      const why = isName.test(wanted)
        ? "another tool has that name"
        : "names have 1 to 64 letters, digits, _ and -";
      complain(part, name, new Error(`${name} of ${part.name} is not renamed to ${wanted}: ${why}.`));
    }
    table.delete(given);
    table.set(given, offer);
    const [oldest] = table.keys();
    if (table.size > maxOffers && oldest !== undefined) {
      table.delete(oldest);
    }
    return given;
  }

  function shownTool(part: Part, tool: ListItems["tools"]): readonly ListItems["tools"][] {
    try {
      const transformed = transformTool(tool, part.name, transforms);
      if (transformed === undefined) {
        return [];
      }
      const { inward, outward } = transformed;
      const name = place("tools", transformed.name, { part, name: tool.name, inward, outward });
      return [{ ...withUris("tools", transformed.tool, part.uris), name }];
    } catch (error) {
      // A tool that cannot be changed as it should be might do what it should not.
      complain(
        part,
        tool.name,
        new Error(`${tool.name} of ${part.name} is hidden: ${quotedMessage(error)}`, { cause: error }),
      );
      return [];
    }
  }

  function shownPrompt(part: Part, prompt: ListItems["prompts"]): ListItems["prompts"] {
    const offer = { part, name: prompt.name, inward: undefined, outward: undefined };
    return { ...prompt, name: place("prompts", undefined, offer) };
  }

  return {
    shown<K extends ListKind>(kind: K, part: Part, items: readonly ListItems[K][]): readonly ListItems[K][] {
      let shown = shownOf.get(items);
      if (shown === undefined) {
        const valid = items.filter((item) => isRecord(item));
        shown =
          kind === "tools"
            ? valid.flatMap((item) => shownTool(part, item as ListItems["tools"]))
            : kind === "prompts"
              ? valid.map((item) => shownPrompt(part, item as ListItems["prompts"]))
              : valid.map((item) => withUris(kind, item, part.uris));
        shownOf.set(items, shown);
      }
      return shown as readonly ListItems[K][];
    },
    find: (kind, name) => offers[kind].get(name),
  };
}
