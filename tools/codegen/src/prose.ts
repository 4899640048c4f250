import { isSchema, proseKeywords, rewriteAll } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/**
 * Descriptions by path (`Tool.icons[].src`); a key may be bound to one revision:
 * `2024-11-05:Tool.name`.
 */
export interface Descriptions {
  readonly [path: string]: string;
}

/** The definitions without a word of prose. */
export function stripProse(definitions: Definitions): Definitions {
  return rewriteAll(definitions, (node) =>
    Object.fromEntries(Object.entries(node).filter(([keyword]) => !proseKeywords.includes(keyword))),
  );
}

/**
 * The definitions with our descriptions. `sources` are asked in order; within one, a key bound to
 * `revision` comes first, then the plain path, then the path under the name that later revisions
 * give to params written in place (`PingRequest.params._meta` → `PingRequestParams._meta`).
 */
export function describe(
  definitions: Definitions,
  revision: string,
  sources: readonly Descriptions[],
): Definitions {
  return rewriteAll(definitions, (node, path) => {
    // Members of a union share the union's path: the description belongs to the union, which is
    // visited last.
    const text = sources.map((source) => lookUp(source, revision, path)).find((found) => found !== undefined);
    if (text === undefined) {
      return node;
    }
    return undescribedMembers({ ...node, description: text }, text);
  });
}

function lookUp(source: Descriptions, revision: string, path: string): string | undefined {
  const hoisted = path.replace(/^(\w+(?:Request|Notification))\.params\b/, "$1Params");
  const candidates = [`${revision}:${path}`, path, `${revision}:${hoisted}`, hoisted];
  return candidates.map((key) => source[key]).find((text) => text !== undefined);
}

function undescribedMembers(node: Schema, text: string): Schema {
  const out = { ...node };
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const members = out[keyword];
    if (!Array.isArray(members)) {
      continue;
    }
    out[keyword] = members.map((member: unknown) => {
      if (!isSchema(member) || member["description"] !== text) {
        return member;
      }
      const { description: _, ...rest } = member;
      return rest;
    });
  }
  return out;
}

/** The descriptions found in `definitions`, by path. */
export function collectDescriptions(definitions: Definitions): Descriptions {
  const found: { [path: string]: string } = {};
  rewriteAll(definitions, (node, path) => {
    if (typeof node["description"] === "string") {
      found[path] = node["description"];
    }
    return node;
  });
  return found;
}
