import type { Dialect } from "../dialect/keyword.ts";
import { dialectOf, DRAFTS, FORMAT_ASSERTION, standardDialect, VOCABULARIES } from "../dialect/standard.ts";
import { SchemaError } from "../error.ts";
import type { CompileOptions, Limits } from "../options.ts";
import { isJsonObject, type JSONSchema, type RawSchema } from "../schema.ts";
import { decodeFragment, escapeToken, pointerTokens } from "./pointer.ts";
import type { Resource, Target } from "./resource.ts";
import { fragmentOf, resolveUri, withoutFragment } from "./uri.ts";

/** The name under which draft 2019-09's `$recursiveAnchor: true` is kept among the dynamic anchors. */
export const RECURSIVE_ANCHOR = "";

/** All schema resources one compilation knows. */
export interface Registry {
  readonly root: Resource;
  /** The resource whose root is this very object. */
  resourceAt(schema: object): Resource | undefined;
  /** What a reference in `from` leads to. `location` names the referring keyword in errors. */
  resolve(from: Resource, reference: string, location: string): Target;
}

/** Where documents come from besides the schema itself. */
export type DocumentSource = (uri: string) => JSONSchema | undefined;

/** Registers a document with everything it embeds (core §9.3). Other documents are added when a reference names them. */
export function createRegistry(
  document: unknown,
  options: CompileOptions,
  limits: Limits,
  find: DocumentSource,
): Registry {
  const resources = new Map<string, Resource>();
  const roots = new Map<object, Resource>();
  const fallback = DRAFTS[options.draft ?? "2020-12"];

  function dialectFor(schema: RawSchema, inherited: Dialect, location: string): Dialect {
    const uri = schema["$schema"];
    if (uri === undefined) return inherited;
    if (typeof uri !== "string") throw new SchemaError("invalid-keyword", location, "$schema must be a URI");
    const standard = standardDialect(uri);
    if (standard !== undefined) return standard;
    const metaschema = find(withoutFragment(uri));
    if (!isJsonObject(metaschema) || metaschema["$schema"] === uri) {
      throw new SchemaError("unsupported-dialect", location, `the dialect ${uri} is not supported`, { uri });
    }
    const declared = metaschema["$vocabulary"];
    if (!isJsonObject(declared)) return dialectFor(metaschema, fallback, uri);
    const known = [];
    for (const [name, required] of Object.entries(declared)) {
      const vocabulary = VOCABULARIES.get(name);
      if (vocabulary !== undefined) known.push(vocabulary);
      else if (required === true) {
        throw new SchemaError("unsupported-dialect", location, `the vocabulary ${name} is not supported`, {
          uri: name,
        });
      }
    }
    return dialectOf(uri, known, FORMAT_ASSERTION in declared);
  }

  function add(schema: unknown, uri: string, inherited: Dialect): Resource {
    const seen = new Map<object, boolean>();
    let count = 0;

    function register(
      schema: RawSchema | boolean,
      uri: string,
      dialect: Dialect,
      location: string,
    ): Resource {
      const resource: Resource = {
        uri,
        root: schema,
        dialect,
        anchors: new Map(),
        dynamicAnchors: new Map(),
      };
      const other = resources.get(uri);
      if (other !== undefined && other.root !== schema) {
        throw new SchemaError(
          "duplicate-identifier",
          location,
          `two schemas have the URI ${uri || "(none)"}`,
          { uri },
        );
      }
      resources.set(uri, resource);
      if (typeof schema === "object") roots.set(schema, resource);
      return resource;
    }

    function anchor(
      kind: "anchors" | "dynamicAnchors",
      name: unknown,
      schema: RawSchema,
      resource: Resource,
      pointer: string,
    ): void {
      if (name === undefined) return;
      const location = `${resource.uri}#${pointer}`;
      if (typeof name !== "string")
        throw new SchemaError("invalid-keyword", location, "an anchor must be a string");
      const other = resource.anchors.get(name);
      if (other !== undefined && other.schema !== schema) {
        throw new SchemaError("duplicate-identifier", location, `the anchor ${name} is defined twice`);
      }
      const target: Target = { schema, resource, pointer };
      resource.anchors.set(name, target);
      if (kind === "dynamicAnchors") resource.dynamicAnchors.set(name, target);
    }

    function identify(schema: RawSchema, parent: Resource | undefined, pointer: string): [Resource, string] {
      let id = schema["$id"];
      if (parent !== undefined && id === undefined) return [parent, pointer];
      const base = parent?.uri ?? uri;
      const at = `${base}#${pointer}`;
      let dialect = parent?.dialect ?? inherited;
      if (parent === undefined || typeof id === "string") dialect = dialectFor(schema, dialect, at);
      if (dialect.legacy && "$ref" in schema) id = undefined;
      if (id === undefined || !dialect.keywords.has("$id")) {
        return [parent ?? register(schema, base, dialect, at), pointer];
      }
      if (typeof id !== "string") throw new SchemaError("invalid-keyword", at, "$id must be a URI reference");
      const fragment = fragmentOf(id);
      if (fragment !== "" && !dialect.legacy) {
        throw new SchemaError("invalid-keyword", at, "$id must not have a fragment: use $anchor");
      }
      let resource = parent;
      const own = withoutFragment(id);
      if (own !== "" || parent === undefined) {
        resource = register(schema, resolveUri(base, own), dialect, at);
        if (parent === undefined && base !== resource.uri) resources.set(base, resource);
        pointer = "";
      }
      const owner = resource ?? register(schema, base, dialect, at);
      if (fragment !== "") anchor("anchors", decodeFragment(fragment), schema, owner, pointer);
      return [owner, pointer];
    }

    function scan(
      schema: unknown,
      parent: Resource | undefined,
      at: string,
      depth: number,
    ): Resource | undefined {
      if (typeof schema === "boolean") return parent ?? register(schema, uri, inherited, at);
      // A malformed subschema matters only where it is reached: the builder reports it there.
      if (!isJsonObject(schema)) return undefined;
      if (++count > limits.maxSubschemas) limit(`more than ${limits.maxSubschemas} subschemas`, parent, at);
      if (depth > limits.maxSchemaDepth)
        limit(`nested deeper than ${limits.maxSchemaDepth} levels`, parent, at);
      const state = seen.get(schema);
      if (state !== undefined) {
        if (state) return parent;
        throw new SchemaError(
          "invalid-schema",
          `${parent?.uri ?? uri}#${at}`,
          "the schema contains itself as an object",
        );
      }
      const [resource, pointer] = identify(schema, parent, at);
      const { keywords, legacy } = resource.dialect;
      if (keywords.has("$anchor")) anchor("anchors", schema["$anchor"], schema, resource, pointer);
      if (keywords.has("$dynamicAnchor"))
        anchor("dynamicAnchors", schema["$dynamicAnchor"], schema, resource, pointer);
      if (schema["$recursiveAnchor"] === true && keywords.has("$recursiveAnchor") && pointer === "") {
        resource.dynamicAnchors.set(RECURSIVE_ANCHOR, { schema, resource, pointer });
      }
      if (!legacy || schema["$ref"] === undefined || parent === undefined) {
        for (const key of Object.keys(schema)) {
          const holds = keywords.get(key)?.holds;
          if (holds === undefined || holds === "none") continue;
          // What has no subschemas cannot contain itself.
          seen.set(schema, false);
          const value = schema[key];
          const path = `${pointer}/${key}`;
          if (Array.isArray(value)) {
            if (holds === "map" || holds === "schema") continue;
            for (const [i, item] of value.entries()) scan(item, resource, `${path}/${i}`, depth + 1);
          } else if (holds === "map" || holds === "map-or-strings") {
            if (!isJsonObject(value)) continue;
            for (const name of Object.keys(value)) {
              scan(value[name], resource, `${path}/${escapeToken(name)}`, depth + 1);
            }
          } else scan(value, resource, path, depth + 1);
        }
      }
      if (seen.has(schema)) seen.set(schema, true);
      return resource;
    }

    const resource = scan(schema, undefined, "", 1);
    if (resource === undefined) {
      throw new SchemaError("invalid-schema", `${uri}#`, "a schema must be an object or a boolean");
    }
    return resource;
  }

  function limit(what: string, resource: Resource | undefined, pointer: string): never {
    throw new SchemaError("limit-exceeded", `${resource?.uri ?? ""}#${pointer}`, `the schema has ${what}`);
  }

  function load(uri: string, from: Resource): Resource | undefined {
    const document = find(uri);
    if (document !== undefined) return add(document, uri, from.dialect);
    // The URI may be an `$id` inside a document that is known but was not needed yet.
    for (const [name, schema] of Object.entries(options.schemas ?? {})) {
      if (!resources.has(withoutFragment(name))) add(schema, withoutFragment(name), from.dialect);
    }
    return resources.get(uri);
  }

  function resolve(from: Resource, reference: string, location: string): Target {
    const full = resolveUri(from.uri, reference);
    const uri = withoutFragment(full);
    const resource = uri === from.uri ? from : (resources.get(uri) ?? load(uri, from));
    if (resource === undefined) {
      throw new SchemaError("unresolved-reference", location, `no schema is known for ${uri || reference}`, {
        uri,
      });
    }
    const fragment = decodeFragment(fragmentOf(full));
    const target = fragment.startsWith("/") ? follow(resource, fragment) : named(resource, fragment);
    if (target === undefined) {
      throw new SchemaError("unresolved-reference", location, `${reference} leads nowhere`, { uri });
    }
    return target;
  }

  function named(resource: Resource, name: string): Target | undefined {
    return name === "" ? { schema: resource.root, resource, pointer: "" } : resource.anchors.get(name);
  }

  function follow(start: Resource, fragment: string): Target | undefined {
    let resource = start;
    let pointer = "";
    let value: unknown = start.root;
    for (const token of pointerTokens(fragment) ?? []) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined;
      value = (value as RawSchema)[token];
      pointer += `/${escapeToken(token)}`;
      const own = typeof value === "object" && value !== null ? roots.get(value) : undefined;
      if (own !== undefined) {
        resource = own;
        pointer = "";
      }
    }
    return { schema: value, resource, pointer };
  }

  const root = add(document, withoutFragment(options.baseUri ?? ""), fallback);
  return { root, resourceAt: (schema) => roots.get(schema), resolve };
}
