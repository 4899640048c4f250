import { drafts, standardDialect } from "../dialect/standard.ts";
import { SchemaError } from "../error.ts";
import type { CustomDialects, Dialect, DocumentSource } from "../ir/keyword.ts";
import { locationOf, type Resource, type Target } from "../ir/resource.ts";
import { limitExceeded } from "../limit-exceeded.ts";
import type { CompileOptions, ResolvedLimits } from "../options.ts";
import { decodeFragment, escapeToken, pointerTokens } from "../reference/pointer.ts";
import { resolveUri, splitFragment, withoutFragment } from "../reference/uri.ts";
import type { RawSchema } from "../schema.ts";
import { isMembers } from "../value/members.ts";

/**
 * The name under which draft 2019-09's `$recursiveAnchor: true` is kept among the dynamic anchors.
 */
export const recursiveAnchor = "";

/** All schema resources one compilation knows. */
export interface Registry {
  readonly root: Target;
  /** The same schema, as the root of its own resource if it is one. */
  readonly atHome: (target: Target) => Target;
  /**
   * Returns the target of a reference in `from`. `location` names the referring keyword in errors.
   */
  readonly resolve: (from: Resource, reference: string, location: string) => Target;
}

/** The inputs of a registry. */
export interface RegistryContext {
  readonly options: CompileOptions;
  readonly limits: ResolvedLimits;
  readonly find: DocumentSource;
  readonly dialect: CustomDialects | undefined;
}

/**
 * Registers a document with everything it embeds (core §9.3). Other documents are added when a
 * reference names them.
 */
export function createRegistry(
  document: unknown,
  { options, limits, find, dialect: customDialect }: RegistryContext,
): Registry {
  /** The roots of resources, by URI and by schema. */
  const resources = new Map<string, Target>();
  const roots = new Map<unknown, Target>();
  const fallback = drafts[options.draft ?? "2020-12"];
  const atHome = (target: Target): Target => roots.get(target.schema) ?? target;

  function dialectFor(schema: unknown, inherited: Dialect, location: string): Dialect {
    const uri = isMembers(schema) ? schema["$schema"] : undefined;
    if (uri === undefined) {
      return inherited;
    }
    if (typeof uri !== "string") {
      throw malformed(location, "$schema must be a string");
    }
    const dialect = standardDialect(uri) ?? customDialect?.(uri, find, location, fallback);
    if (dialect !== undefined) {
      return dialect;
    }
    const message = `the dialect ${uri} is not supported`;
    throw new SchemaError("unsupported-dialect", location, message, { uri });
  }

  function register(schema: unknown, uri: string, dialect: Dialect, location: string): Target {
    const resource: Resource = { uri, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    const target: Target = { schema, resource, pointer: "" };
    claim(resources, uri, target, location);
    if (isMembers(schema)) {
      roots.set(schema, target);
    }
    return target;
  }

  /** Scans one document for identifiers and anchors. */
  function add(document: unknown, uri: string, inherited: Dialect): Target {
    const root = register(document, uri, dialectFor(document, inherited, `${uri}#`), `${uri}#`);
    // True once a schema is done, false while it is open.
    const done = new Map<object, boolean>();
    let count = 0;

    /**
     * @param way - From `pointer` to the schema, put together with it only where that is needed:
     *   most schemas hold none.
     */
    function scan(schema: unknown, resource: Resource, pointer: string, way: Way, depth: number): void {
      // A malformed subschema matters only where it is reached: the builder reports it there.
      if (!isMembers(schema)) {
        return;
      }
      const here = (): Target => ({ schema, resource, pointer: follow(pointer, way) });
      if (++count > limits.maxSubschemas) {
        throw limitExceeded(limits, "maxSubschemas", locationOf(here()));
      }
      if (depth > limits.maxSchemaDepth) {
        throw limitExceeded(limits, "maxSchemaDepth", locationOf(here()));
      }
      const state = done.get(schema);
      if (state === true) {
        return;
      }
      if (state === false) {
        throw new SchemaError(
          "invalid-schema",
          locationOf(here()),
          "the schema contains itself as an object",
        );
      }
      const keys = Object.keys(schema);
      const mayIdentify = keys.some((key) => key.startsWith("$") && key !== "$ref");
      let at = mayIdentify ? identified(schema, here()) : undefined;
      const { keywords, legacy } = at?.resource.dialect ?? resource.dialect;
      if (legacy && schema["$ref"] !== undefined && depth > 1) {
        return;
      }
      for (const key of keys) {
        const holds = keywords.get(key)?.holds;
        if (holds === undefined) {
          continue;
        }
        // A schema without subschemas cannot contain itself.
        done.set(schema, false);
        at ??= here();
        const value = schema[key];
        const path = `${at.pointer}/${key}`;
        if (Array.isArray(value)) {
          if (holds === "schemas") {
            for (let i = 0; i < value.length; i++) {
              scan(value[i], at.resource, path, i, depth + 1);
            }
          }
        } else if (holds === "schemas") {
          scan(value, at.resource, path, undefined, depth + 1);
        } else if (isMembers(value)) {
          for (const name of Object.keys(value)) {
            scan(value[name], at.resource, path, name, depth + 1);
          }
        }
      }
      if (done.has(schema)) {
        done.set(schema, true);
      }
    }

    scan(document, root.resource, "", undefined, 1);
    // The document keeps the URI under which it was found.
    resources.set(uri, atHome(root));
    return atHome(root);
  }

  /**
   * Notes the identifiers and anchors of a schema; the schema as seen from the resource it belongs
   * to.
   */
  function identified(schema: RawSchema, at: Target): Target {
    const location = locationOf(at);
    const { uri, dialect: outer } = at.resource;
    const dialect = typeof schema["$id"] === "string" ? dialectFor(schema, outer, location) : outer;
    const { keywords, legacy } = dialect;
    const known = (keyword: string): unknown => (keywords.has(keyword) ? schema[keyword] : undefined);
    const name = (keyword: string): string => {
      const value = known(keyword);
      if (value === undefined || typeof value === "string") {
        return value ?? "";
      }
      throw malformed(location, `${keyword} must be a string`);
    };
    const id = legacy && "$ref" in schema ? "" : name("$id");
    const [own, encoded] = splitFragment(id);
    const fragment = decodeFragment(encoded);
    if (fragment !== "" && !legacy) {
      throw malformed(location, "$id must not have a fragment: use $anchor");
    }
    const target = own === "" ? at : register(schema, resolveUri(uri, own), dialect, location);
    const { anchors, dynamicAnchors } = target.resource;
    const dynamic = name("$dynamicAnchor");
    for (const anchor of [fragment, name("$anchor"), dynamic]) {
      if (anchor !== "") {
        claim(anchors, anchor, target, location);
      }
    }
    if (dynamic !== "") {
      dynamicAnchors.set(dynamic, target);
    }
    if (known("$recursiveAnchor") === true && target.pointer === "") {
      dynamicAnchors.set(recursiveAnchor, target);
    }
    return target;
  }

  function load(uri: string, from: Resource): Target | undefined {
    const document = find(uri);
    if (document !== undefined) {
      return add(document, uri, from.dialect);
    }
    // The URI may be an `$id` inside a document that is known but was not needed yet.
    for (const [name, schema] of Object.entries(options.schemas ?? {})) {
      if (!resources.has(withoutFragment(name))) {
        add(schema, withoutFragment(name), from.dialect);
      }
    }
    return resources.get(uri);
  }

  function resolve(from: Resource, reference: string, location: string): Target {
    const full = resolveUri(from.uri, reference);
    const [uri, fragment] = splitFragment(full);
    const root = resources.get(uri) ?? load(uri, from);
    const target = root && within(root, decodeFragment(fragment));
    if (target !== undefined) {
      return target;
    }
    const message = `${full} leads nowhere`;
    throw new SchemaError("unresolved-reference", location, message, { uri });
  }

  /** Returns the target of a fragment: a JSON Pointer, or the name of an anchor. */
  function within(root: Target, fragment: string): Target | undefined {
    if (fragment !== "" && !fragment.startsWith("/")) {
      return root.resource.anchors.get(fragment);
    }
    let target = root;
    for (const token of pointerTokens(fragment)) {
      const { schema } = target;
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, token)) {
        return undefined;
      }
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

/** A name or an index in a keyword's value; `undefined` for the value itself. */
type Way = string | number | undefined;

function follow(pointer: string, way: Way): string {
  return way === undefined ? pointer : `${pointer}/${escapeToken(way)}`;
}

/** Returns a unique name for a schema. */
function claim(names: Map<string, Target>, name: string, target: Target, location: string): void {
  const other = names.get(name);
  if (other !== undefined && other.schema !== target.schema) {
    throw new SchemaError("duplicate-identifier", location, `two schemas have the identifier "${name}"`);
  }
  names.set(name, target);
}

function malformed(location: string, message: string): SchemaError {
  return new SchemaError("invalid-keyword", location, message);
}
