import { metaOf, MetaKey } from "@tenon/protocol";

const ofProtocol: ReadonlySet<string> = new Set(Object.values(MetaKey));

/** A `_meta` without the keys of the modern protocol, which programs do not know. */
export function ownMeta(meta: object | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(meta ?? {}).filter(([key]) => !ofProtocol.has(key)));
}

/** The params of a modern notification in the form of a legacy notification. */
export function legacyParams(params: object): object {
  const meta = metaOf(params);
  if (meta === undefined) {
    return params;
  }
  const own = ownMeta(meta);
  const { _meta: _, ...rest } = params as Readonly<Record<string, unknown>>;
  return Object.keys(own).length > 0 ? { ...rest, _meta: own } : rest;
}
