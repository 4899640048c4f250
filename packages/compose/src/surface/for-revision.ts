import { isRecord } from "@tenon/base";
import type { ListKind } from "@tenon/host";
import { isInputRequired, itemForRevision, resultForRevision, type ServerRequest } from "@tenon/mcp/server";
import { eraOf, MetaKey, type Revision } from "@tenon/protocol";

/** The lists of sources as the clients of each protocol version know them. */
export interface ListsForRevisions {
  /** The items without what the version does not have. The same array for the same items. */
  list(kind: ListKind, items: readonly unknown[], revision: Revision): readonly unknown[];
}

/** Creates an empty memory of lists. */
export function createListsForRevisions(): ListsForRevisions {
  const known = new WeakMap<readonly unknown[], Map<Revision, readonly unknown[]>>();
  return {
    list(kind, items, revision) {
      if (eraOf(revision) === "modern") {
        return items;
      }
      const lists = known.get(items) ?? new Map<Revision, readonly unknown[]>();
      known.set(items, lists);
      let list = lists.get(revision);
      if (list === undefined) {
        const all = items.map((item) => converted(kind, item, revision));
        list = all.every((item, index) => item === items[index]) ? items : all;
        lists.set(revision, list);
      }
      return list;
    },
  };
}

/** A malformed item passes, so that it does not harm the others. */
function converted(kind: ListKind, item: unknown, revision: Revision): unknown {
  try {
    return isRecord(item) ? itemForRevision(kind, item, revision) : item;
  } catch {
    return item;
  }
}

/** A result as the protocol version of the client knows it. */
export function resultFor({ revision }: ServerRequest, result: unknown): unknown {
  return isRecord(result) && !isInputRequired(result) && eraOf(revision) === "legacy"
    ? resultForRevision(withoutServerInfo(result), revision)
    : result;
}

/** The server of a client is the proxy: only modern results name it, and those get its name. */
function withoutServerInfo(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const meta = result["_meta"];
  if (!isRecord(meta) || !(MetaKey.serverInfo in meta)) {
    return result;
  }
  const { _meta: _, ...rest } = result;
  const { [MetaKey.serverInfo]: __, ...own } = meta;
  return Object.keys(own).length === 0 ? rest : { ...rest, _meta: own };
}
