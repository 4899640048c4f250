import type { Dialect } from "../dialect/keyword.ts";
import { DRAFTS, standardDialect } from "../dialect/standard.ts";
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

/** The dialect of a metaschema that is not standard; `undefined` if there is none. `fallback` is for one without `$schema`. */
export type CustomDialects = (
  uri: string,
  find: DocumentSource,
  location: string,
  fallback: Dialect,
) => Dialect | undefined;

/** What a registry is made from. */
export interface RegistryContext {
  readonly options: CompileOptions;
  readonly limits: Limits;
  readonly find: DocumentSource;
  readonly dialect: CustomDialects | undefined;
}

/** Registers a document with everything it embeds (core §9.3). Other documents are added when a reference names them. */
export function createRegistry(
  document: unknown,
  { options, limits, find, dialect: customDialect }: RegistryContext,
): Registry {
  const resources = new Map<string, Resource>();
  const roots = new Map<object, Resource>();
  const fallback = DRAFTS[options.draft ?? "2020-12"];

  function dialectFor(schema: RawSchema, inherited: Dialect, location: string): Dialect {
    const uri = schema["$schema"];
    if (uri === undefined) return inherited;
    if (typeof uri !== "string") throw invalid(location, "$schema must be a URI");
    const dialect = standardDialect(uri) ?? customDialect?.(uri, find, location, fallback);
    if (dialect !== undefined) return dialect;
    const message = `the dialect ${uri} is not supported`;
    throw new SchemaError("unsupported-dialect", location, message, { uri });
  }

  /** Scans one document for identifiers and anchors. */
  function add(schema: unknown, uri: string, inherited: Dialect): Resource {
    // True once a schema is done, false while it is open.
    const done = new Map<object, boolean>();
    let count = 0;
    const place = (parent: Resource | undefined, at: string): string => `${parent?.uri ?? uri}#${at}`;

    function register(root: RawSchema | boolean, uri: string, dialect: Dialect, location: string): Resource {
      const resource: Resource = { uri, root, dialect, anchors: new Map(), dynamicAnchors: new Map() };
      const other = resources.get(uri);
      if (other !== undefined && other.root !== root) {
        throw duplicate(location, `two schemas have the URI ${uri || "(none)"}`, uri);
      }
      resources.set(uri, resource);
      if (typeof root === "object") roots.set(root, resource);
      return resource;
    }

    /** The resource a schema belongs to, and the way to it from the root of that resource. */
    function identify(schema: RawSchema, parent: Resource | undefined, pointer: string): [Resource, string] {
      let id = schema["$id"];
      if (parent !== undefined && id === undefined) return [parent, pointer];
      const base = parent?.uri ?? uri;
      const at = `${base}#${pointer}`;
      let dialect = parent?.dialect ?? inherited;
      if (parent === undefined || typeof id === "string") dialect = dialectFor(schema, dialect, at);
      if ((dialect.legacy && "$ref" in schema) || !dialect.keywords.has("$id")) id = undefined;
      if (id !== undefined && typeof id !== "string") throw invalid(at, "$id must be a URI reference");
      const own = withoutFragment(id ?? "");
      const fragment = fragmentOf(id ?? "");
      if (fragment !== "" && !dialect.legacy) {
        throw invalid(at, "$id must not have a fragment: use $anchor");
      }
      let resource = parent;
      if (own !== "" || resource === undefined) {
        resource = register(schema, resolveUri(base, own), dialect, at);
        // The document keeps the URI under which it was found.
        if (parent === undefined) resources.set(base, resource);
        pointer = "";
      }
      if (fragment !== "") anchor(decodeFragment(fragment), schema, resource, pointer);
      return [resource, pointer];
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
      const { maxSubschemas, maxSchemaDepth } = limits;
      if (++count > maxSubschemas) throw tooMuch(place(parent, at), `more than ${maxSubschemas} subschemas`);
      if (depth > maxSchemaDepth)
        throw tooMuch(place(parent, at), `nested deeper than ${maxSchemaDepth} levels`);
      const state = done.get(schema);
      if (state === true) return parent;
      if (state === false) {
        throw new SchemaError("invalid-schema", place(parent, at), "the schema contains itself as an object");
      }
      const [resource, pointer] = identify(schema, parent, at);
      const { keywords, legacy } = resource.dialect;
      if (keywords.has("$anchor")) anchor(schema["$anchor"], schema, resource, pointer);
      if (keywords.has("$dynamicAnchor")) {
        const target = anchor(schema["$dynamicAnchor"], schema, resource, pointer);
        if (target !== undefined) resource.dynamicAnchors.set(String(schema["$dynamicAnchor"]), target);
      }
      if (schema["$recursiveAnchor"] === true && keywords.has("$recursiveAnchor") && pointer === "") {
        resource.dynamicAnchors.set(RECURSIVE_ANCHOR, { schema, resource, pointer });
      }
      if (!legacy || schema["$ref"] === undefined || parent === undefined) {
        for (const key of Object.keys(schema)) {
          const holds = keywords.get(key)?.holds;
          if (holds === undefined) continue;
          // What has no subschemas cannot contain itself.
          done.set(schema, false);
          const value = schema[key];
          const path = `${pointer}/${key}`;
          if (Array.isArray(value) ? holds === "schemas" : holds === "members" && isJsonObject(value)) {
            const parts = value as Readonly<Record<string, unknown>>;
            for (const name of Object.keys(parts)) {
              if (depth < maxSchemaDepth && count < maxSubschemas && identifiesNothing(parts[name], keywords))
                count++;
              else scan(parts[name], resource, `${path}/${escapeToken(name)}`, depth + 1);
            }
          } else if (holds === "schemas") scan(value, resource, path, depth + 1);
        }
      }
      if (done.has(schema)) done.set(schema, true);
      return resource;
    }

    const resource = scan(schema, undefined, "", 1);
    if (resource === undefined) {
      throw new SchemaError("invalid-schema", `${uri}#`, "a schema must be an object or a boolean");
    }
    return resource;
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
      throw unresolved(location, `no schema is known for ${uri || reference}`, uri);
    }
    const fragment = decodeFragment(fragmentOf(full));
    const target = fragment.startsWith("/") ? follow(resource, fragment) : named(resource, fragment);
    if (target === undefined) {
      throw unresolved(location, `${reference} leads nowhere`, uri);
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

/** True for a schema object without subschemas, identifiers and anchors: most are. */
function identifiesNothing(schema: unknown, keywords: Dialect["keywords"]): boolean {
  if (!isJsonObject(schema)) return false;
  for (const key in schema) if (key.startsWith("$") || keywords.get(key)?.holds !== undefined) return false;
  return true;
}

/** Notes an anchor, if there is one. */
function anchor(name: unknown, schema: RawSchema, resource: Resource, pointer: string): Target | undefined {
  if (name === undefined) return undefined;
  const { anchors, uri } = resource;
  const location = `${uri}#${pointer}`;
  if (typeof name !== "string") throw invalid(location, "an anchor must be a string");
  const other = anchors.get(name);
  if (other !== undefined && other.schema !== schema) {
    throw duplicate(location, `the anchor ${name} is defined twice`);
  }
  const target: Target = { schema, resource, pointer };
  anchors.set(name, target);
  return target;
}

function invalid(location: string, message: string): SchemaError {
  return new SchemaError("invalid-keyword", location, message);
}

function duplicate(location: string, message: string, uri?: string): SchemaError {
  return new SchemaError("duplicate-identifier", location, message, { uri });
}

function tooMuch(location: string, what: string): SchemaError {
  return new SchemaError("limit-exceeded", location, `the schema has ${what}`);
}

function unresolved(location: string, message: string, uri: string): SchemaError {
  return new SchemaError("unresolved-reference", location, message, { uri });
}
