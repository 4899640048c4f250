import { isRecord } from "@tenon/base";
import type { ListItems, ListKind } from "@tenon/host";

/**
 * The URIs of one source, as the clients of a composition see them. `notes://1` of the source
 * `work` is `notes://work/1`, and `urn:x` is `work+urn:x`. URLs of the web do not change,
 * because clients may open them themselves.
 */
export interface UriMap {
  /** The URI, or the URI template, for clients. */
  outward(uri: string): string;
  /** The URI at the source; `undefined` if it belongs to another source. */
  inward(uri: string): string | undefined;
}

const hierarchical = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)(.*)$/s;
/** URIs whose meaning does not depend on a source. */
const isGlobal = /^(?:https?|data|mailto|tel):/i;

/** Changes no URIs: for a single source. */
export const ownUris: UriMap = { outward: (uri) => uri, inward: (uri) => uri };

/** Makes the map of a source. @param label - See {@link labelFor}. */
export function createUriMap(label: string): UriMap {
  const segment = `${label}/`;
  const prefix = `${label}+`;
  return {
    outward(uri) {
      if (isGlobal.test(uri)) {
        return uri;
      }
      const [, scheme, rest] = hierarchical.exec(uri) ?? [];
      return scheme === undefined || rest === undefined ? prefix + uri : scheme + segment + rest;
    },
    inward(uri) {
      if (isGlobal.test(uri)) {
        return uri;
      }
      const [, scheme, rest] = hierarchical.exec(uri) ?? [];
      if (scheme !== undefined && rest?.toLowerCase().startsWith(segment) === true) {
        return scheme + rest.slice(segment.length);
      }
      return uri.toLowerCase().startsWith(prefix) ? uri.slice(prefix.length) : undefined;
    },
  };
}

/**
 * The name of a source in URIs: in lower case, since hosts of URIs are, and only with characters
 * that schemes may have.
 *
 * @param taken - The labels of other sources.
 */
export function labelFor(name: string, taken: ReadonlySet<string>): string {
  const letters = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  const base = /^[a-z]/.test(letters) ? letters : `s-${letters}`;
  let label = base;
  for (let count = 2; taken.has(label); count++) {
    label = `${base}-${count}`;
  }
  return label;
}

/** An item of a list with the URIs for clients. */
export function withUris<K extends ListKind>(kind: K, item: ListItems[K], { outward }: UriMap): ListItems[K] {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  const key = kind === "resources" ? "uri" : kind === "resourceTemplates" ? "uriTemplate" : undefined;
  const uri = key === undefined ? undefined : fields[key];
  const mapped = key !== undefined && typeof uri === "string" ? { ...fields, [key]: outward(uri) } : fields;
  const view = viewIn(fields["_meta"], outward);
  return (view === undefined ? mapped : { ...mapped, _meta: view }) as unknown as ListItems[K];
}

/** The `_meta` of a tool of an app, which names the resource with its view. */
function viewIn(meta: unknown, outward: UriMap["outward"]): object | undefined {
  if (!isRecord(meta)) {
    return undefined;
  }
  const { ui, [oldViewKey]: old } = meta;
  const view = isRecord(ui) && typeof ui["resourceUri"] === "string" ? outward(ui["resourceUri"]) : undefined;
  if (view === undefined && typeof old !== "string") {
    return undefined;
  }
  return {
    ...meta,
    ...(view === undefined ? {} : { ui: { ...(ui as object), resourceUri: view } }),
    ...(typeof old === "string" ? { [oldViewKey]: outward(old) } : {}),
  };
}

const oldViewKey = "ui/resourceUri";

/** A result with the links for clients: of content blocks, messages and contents. */
export function withLinks<T>(result: T, { outward }: UriMap): T {
  if (!isRecord(result)) {
    return result;
  }
  const { content, contents, messages } = result;
  const blocks = Array.isArray(content) ? mapped(content, (block) => linked(block, outward)) : content;
  const read = Array.isArray(contents) ? mapped(contents, (one) => located(one, outward)) : contents;
  const said = Array.isArray(messages) ? mapped(messages, (one) => spoken(one, outward)) : messages;
  if (blocks === content && read === contents && said === messages) {
    return result;
  }
  return {
    ...result,
    ...(blocks === content ? {} : { content: blocks }),
    ...(read === contents ? {} : { contents: read }),
    ...(said === messages ? {} : { messages: said }),
  };
}

/** The same array if nothing in it changes. */
function mapped(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const next = change(item);
    if (next !== item) {
      changed ??= [...items];
      changed[index] = next;
    }
  }
  return changed ?? items;
}

function linked(block: unknown, outward: UriMap["outward"]): unknown {
  if (!isRecord(block)) {
    return block;
  }
  switch (block["type"]) {
    case "resource_link":
      return located(block, outward);
    case "resource": {
      const { resource } = block;
      const moved = located(resource, outward);
      return moved === resource ? block : { ...block, resource: moved };
    }
    default:
      return block;
  }
}

function located(item: unknown, outward: UriMap["outward"]): unknown {
  if (!isRecord(item) || typeof item["uri"] !== "string") {
    return item;
  }
  const uri = outward(item["uri"]);
  return uri === item["uri"] ? item : { ...item, uri };
}

function spoken(message: unknown, outward: UriMap["outward"]): unknown {
  if (!isRecord(message)) {
    return message;
  }
  const { content } = message;
  const moved = linked(content, outward);
  return moved === content ? message : { ...message, content: moved };
}
