import type { Dialect } from "../dialect/keyword.ts";
import { DRAFTS, standardDialect } from "../dialect/standard.ts";
import { SchemaError } from "../error.ts";
import type { CompileOptions, Limits } from "../options.ts";
import { isJsonObject, type JSONSchema, type RawSchema } from "../schema.ts";
import { decodeFragment, escapeToken, pointerTokens } from "./pointer.ts";
import { locationOf, type Resource, type Target } from "./resource.ts";
import { fragmentOf, resolveUri, withoutFragment } from "./uri.ts";

/** The name under which draft 2019-09's `$recursiveAnchor: true` is kept among the dynamic anchors. */
export const RECURSIVE_ANCHOR = "";

/** All schema resources one compilation knows. */
export interface Registry {
  readonly root: Target;
  /** The same schema, as the root of its own resource if it is one. */
  readonly atHome: (target: Target) => Target;
  /** What a reference in `from` leads to. `location` names the referring keyword in errors. */
  readonly resolve: (from: Resource, reference: string, location: string) => Target;
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
  /** The roots of resources, by URI and by schema. */
  const resources = new Map<string, Target>();
  const roots = new Map<unknown, Target>();
  const fallback = DRAFTS[options.draft ?? "2020-12"];
  const atHome = (target: Target): Target => roots.get(target.schema) ?? target;

  function dialectFor(schema: unknown, inherited: Dialect, location: string): Dialect {
    const uri = isJsonObject(schema) ? schema["$schema"] : undefined;
    if (uri === undefined) return inherited;
    if (typeof uri !== "string") throw invalid(location, "$schema must be a URI");
    const dialect = standardDialect(uri) ?? customDialect?.(uri, find, location, fallback);
    if (dialect !== undefined) return dialect;
    const message = `the dialect ${uri} is not supported`;
    throw new SchemaError("unsupported-dialect", location, message, { uri });
  }

  function register(schema: unknown, uri: string, dialect: Dialect, location: string): Target {
    const other = resources.get(uri);
    if (other !== undefined && other.schema !== schema) {
      const message = `two schemas have the URI ${uri || "(none)"}`;
      throw new SchemaError("duplicate-identifier", location, message, { uri });
    }
    const resource: Resource = { uri, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    const target: Target = { schema, resource, pointer: "" };
    resources.set(uri, target);
    if (isJsonObject(schema)) roots.set(schema, target);
    return target;
  }

  /** Scans one document for identifiers and anchors. */
  function add(document: unknown, uri: string, inherited: Dialect): Target {
    const root = register(document, uri, dialectFor(document, inherited, `${uri}#`), `${uri}#`);
    const { maxSubschemas, maxSchemaDepth } = limits;
    // True once a schema is done, false while it is open.
    const done = new Map<object, boolean>();
    let count = 0;

    function scan(at: Target, depth: number): void {
      const { schema } = at;
      // A malformed subschema matters only where it is reached: the builder reports it there.
      if (!isJsonObject(schema)) return;
      const excess =
        ++count > maxSubschemas
          ? `has more than ${maxSubschemas} subschemas`
          : depth > maxSchemaDepth
            ? `is nested deeper than ${maxSchemaDepth} levels`
            : undefined;
      if (excess !== undefined)
        throw new SchemaError("limit-exceeded", locationOf(at), `the schema ${excess}`);
      const state = done.get(schema);
      if (state === true) return;
      if (state === false)
        throw new SchemaError("invalid-schema", locationOf(at), "the schema contains itself as an object");
      const keys = Object.keys(schema);
      const { resource, pointer } = keys.some((key) => key.startsWith("$")) ? identified(schema, at) : at;
      const { keywords, legacy } = resource.dialect;
      if (legacy && schema["$ref"] !== undefined && depth > 1) return;
      for (const key of keys) {
        const holds = keywords.get(key)?.holds;
        if (holds === undefined) continue;
        // What has no subschemas cannot contain itself.
        done.set(schema, false);
        const value = schema[key];
        const path = `${pointer}/${key}`;
        if (holds === "schemas" ? Array.isArray(value) : isJsonObject(value)) {
          for (const [name, part] of Object.entries(value as object))
            scan({ schema: part, resource, pointer: `${path}/${escapeToken(name)}` }, depth + 1);
        } else if (holds === "schemas") scan({ schema: value, resource, pointer: path }, depth + 1);
      }
      if (done.has(schema)) done.set(schema, true);
    }

    scan(root, 1);
    // The document keeps the URI under which it was found.
    resources.set(uri, atHome(root));
    return atHome(root);
  }

  /** Notes the identifiers and anchors of a schema; the schema as seen from the resource it belongs to. */
  function identified(schema: RawSchema, at: Target): Target {
    const location = locationOf(at);
    const { uri, dialect: outer } = at.resource;
    const dialect = typeof schema["$id"] === "string" ? dialectFor(schema, outer, location) : outer;
    const { keywords, legacy } = dialect;
    const known = (keyword: string): unknown => (keywords.has(keyword) ? schema[keyword] : undefined);
    let id = known("$id");
    if (id === undefined || (legacy && "$ref" in schema)) id = "";
    if (typeof id !== "string") throw invalid(location, "$id must be a URI reference");
    const fragment = decodeFragment(fragmentOf(id));
    if (fragment !== "" && !legacy) throw invalid(location, "$id must not have a fragment: use $anchor");
    const own = withoutFragment(id);
    const target = own === "" ? at : register(schema, resolveUri(uri, own), dialect, location);
    const { resource, pointer } = target;
    anchor(fragment || known("$anchor"), target);
    anchor(known("$dynamicAnchor"), target, resource.dynamicAnchors);
    if (known("$recursiveAnchor") === true && pointer === "")
      resource.dynamicAnchors.set(RECURSIVE_ANCHOR, target);
    return target;
  }

  function load(uri: string, from: Resource): Target | undefined {
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
    const unresolved = (message: string): SchemaError =>
      new SchemaError("unresolved-reference", location, message, { uri });
    const root = resources.get(uri) ?? load(uri, from);
    if (root === undefined) throw unresolved(`no schema is known for ${uri || reference}`);
    const fragment = decodeFragment(fragmentOf(full));
    const target =
      fragment === "" || fragment.startsWith("/")
        ? follow(root, fragment)
        : root.resource.anchors.get(fragment);
    if (target === undefined) throw unresolved(`${reference} leads nowhere`);
    return target;
  }

  function follow(root: Target, pointer: string): Target | undefined {
    let target = root;
    for (const token of pointerTokens(pointer)) {
      const { schema } = target;
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, token)) return undefined;
      target = atHome({
        schema: (schema as RawSchema)[token],
        resource: target.resource,
        pointer: `${target.pointer}/${escapeToken(token)}`,
      });
    }
    return target;
  }

  const root = add(document, withoutFragment(options.baseUri ?? ""), fallback);
  return { root, atHome, resolve };
}

/** Notes an anchor, if there is one. */
function anchor(name: unknown, target: Target, dynamic?: Map<string, Target>): void {
  if (name === undefined) return;
  const location = locationOf(target);
  if (typeof name !== "string") throw invalid(location, "an anchor must be a string");
  const { anchors } = target.resource;
  const other = anchors.get(name);
  if (other !== undefined && other.schema !== target.schema) {
    throw new SchemaError("duplicate-identifier", location, `the anchor ${name} is defined twice`);
  }
  anchors.set(name, target);
  dynamic?.set(name, target);
}

function invalid(location: string, message: string): SchemaError {
  return new SchemaError("invalid-keyword", location, message);
}
