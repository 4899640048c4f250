import type { Dialect } from "../dialect/keyword.ts";
import { SchemaError } from "../error.ts";
import type { CompileOptions, Limits } from "../options.ts";
import { compilePattern, type LinearMatcher } from "../regex/pattern.ts";
import { escapeToken } from "../resolve/pointer.ts";
import {
  createRegistry,
  RECURSIVE_ANCHOR,
  type CustomDialects,
  type DocumentSource,
  type Registry,
} from "../resolve/registry.ts";
import type { Resource, Target } from "../resolve/resource.ts";
import { fragmentOf } from "../resolve/uri.ts";
import { isJsonObject, type RawSchema } from "../schema.ts";
import { analyse } from "./analyse.ts";
import { absoluteLocation, createNode, type Format, type Node, type Pattern } from "./node.ts";
import type { Reader } from "./reader.ts";

/** What a schema compiles against: options, limits, and where formats and documents come from. */
export interface BuildContext {
  readonly options: CompileOptions;
  readonly limits: Limits;
  readonly find: DocumentSource;
  readonly dialect: CustomDialects | undefined;
  readonly format: (name: string) => Format | undefined;
  readonly linear: LinearMatcher | undefined;
}

/** A schema in the intermediate representation, resolved and analysed. */
export interface Program {
  readonly root: Node;
  /** Every node the root reaches. */
  readonly nodes: readonly Node[];
  /** Some node charges fuel or counts depth, so evaluation may stop at a limit. */
  readonly guarded: boolean;
}

/**
 * The dynamic scope (core §7.1) as far as it matters: for each dynamic anchor, the outermost resource that defines it.
 * Interned by `key`, so a node exists once per schema and scope and no scope is needed at run time.
 */
interface Scope {
  readonly key: string;
  readonly anchors: ReadonlyMap<string, Target>;
}

interface Pending {
  readonly node: Node;
  readonly scope: Scope;
  /** The same schema object in another scope or resource. */
  readonly next: Pending | undefined;
}

/** Reads a schema and all it refers to into the IR. */
export function buildProgram(schema: unknown, context: BuildContext): Program {
  const { options, limits } = context;
  const registry: Registry = createRegistry(schema, context);
  const nodes: Node[] = [];
  const memo = new Map<object, Pending>();
  const scopes = new Map<string, Scope>();
  const patterns = new Map<string, Pattern>();
  const empty: Scope = { key: "", anchors: new Map() };
  // A queue instead of recursion: chains of references may be as long as the limits allow.
  const queue: Pending[] = [];
  // Without a node that is reached twice there is neither recursion nor shared work.
  let isTree = true;

  function enter(scope: Scope, resource: Resource): Scope {
    if (resource.dynamicAnchors.size === 0) return scope;
    const anchors = new Map(scope.anchors);
    for (const [name, target] of resource.dynamicAnchors) if (!anchors.has(name)) anchors.set(name, target);
    if (anchors.size === scope.anchors.size) return scope;
    const key = [...anchors]
      .map(([name, { resource, pointer }]) => JSON.stringify([name, resource.uri, pointer]))
      .sort()
      .join();
    let interned = scopes.get(key);
    if (interned === undefined) scopes.set(key, (interned = { key, anchors }));
    return interned;
  }

  function nodeOf(schema: unknown, resource: Resource, pointer: string, scope: Scope): Node {
    if (typeof schema !== "boolean" && !isJsonObject(schema)) {
      throw new SchemaError(
        "invalid-schema",
        `${resource.uri}#${pointer}`,
        "a schema must be an object or a boolean",
      );
    }
    if (nodes.length >= limits.maxSubschemas) {
      const message = `the schema needs more than ${limits.maxSubschemas} compiled subschemas`;
      throw new SchemaError("limit-exceeded", `${resource.uri}#${pointer}`, message);
    }
    if (typeof schema === "boolean") {
      const node = createNode(nodes.length, schema, resource, pointer);
      if (!schema) node.types = 0;
      nodes.push(node);
      return node;
    }
    const own = registry.resourceAt(schema);
    if (own !== undefined && own !== resource) {
      resource = own;
      pointer = "";
    }
    const inner = enter(scope, resource);
    const known = memo.get(schema);
    for (let same = known; same !== undefined; same = same.next) {
      if (same.scope !== inner || same.node.resource !== resource) continue;
      isTree = false;
      return same.node;
    }
    const node = createNode(nodes.length, schema, resource, pointer);
    nodes.push(node);
    const pending = { node, scope: inner, next: known };
    memo.set(schema, pending);
    queue.push(pending);
    return node;
  }

  let scope: Scope = empty;
  // A plain field, not a getter: an accessor in a literal costs a hidden class per compilation.
  const reader: Reader & { dialect: Dialect } = {
    options,
    limits,
    dialect: registry.root.dialect,
    child(node, schema, path) {
      node.leaf = false;
      return nodeOf(schema, node.resource, node.pointer + path, scope);
    },
    reference(node, uri, keyword) {
      node.leaf = false;
      const target = registry.resolve(node.resource, uri, absoluteLocation(node, keyword));
      return nodeOf(target.schema, target.resource, target.pointer, scope);
    },
    dynamicReference(node, uri, keyword) {
      node.leaf = false;
      const target = registry.resolve(node.resource, uri, absoluteLocation(node, keyword));
      const name = keyword === "$recursiveRef" ? RECURSIVE_ANCHOR : fragmentOf(uri);
      const bookend = target.resource.dynamicAnchors.get(name);
      const dynamic = bookend !== undefined && bookend.schema === target.schema;
      const found = (dynamic ? scope.anchors.get(name) : undefined) ?? target;
      return nodeOf(found.schema, found.resource, found.pointer, scope);
    },
    pattern(node, source, keyword) {
      let pattern = patterns.get(source);
      if (pattern === undefined) {
        pattern = compilePattern(source, absoluteLocation(node, keyword), options, limits, context.linear);
        patterns.set(source, pattern);
      }
      return pattern;
    },
    format: context.format,
    malformed: (node, keyword, expected) =>
      new SchemaError(
        "invalid-keyword",
        absoluteLocation(node, escapeToken(keyword)),
        `${keyword} must be ${expected}`,
      ),
  };

  function read(node: Node, schema: RawSchema): void {
    const { dialect } = node.resource;
    reader.dialect = dialect;
    if (dialect.legacy && schema["$ref"] !== undefined) {
      dialect.keywords.get("$ref")?.read?.(reader, node, schema["$ref"], "$ref");
      node.alias = node.ref;
      return;
    }
    let applied = 0;
    for (const key of Object.keys(schema)) {
      const keyword = dialect.keywords.get(key)?.read;
      const value = schema[key];
      if (keyword === undefined || value === undefined) continue;
      keyword(reader, node, value, key);
      applied++;
    }
    if (applied === 1)
      node.alias = node.ref ?? node.dynamicRef ?? (node.allOf?.length === 1 ? node.allOf[0] : undefined);
  }

  const { root: start } = registry;
  const root = nodeOf(start.root, start, "", empty);
  for (let pending = queue.pop(); pending !== undefined; pending = queue.pop()) {
    ({ scope } = pending);
    if (typeof pending.node.schema === "object") read(pending.node, pending.node.schema);
  }
  // A matcher that is not native stops at a limit of its own; comparing items descends as deep as the instance goes.
  const limited =
    [...patterns.values()].some((pattern) => pattern.flags === undefined) ||
    nodes.some((node) => node.uniqueItems);
  return { root, nodes, guarded: (!isTree && analyse(nodes, root)) || limited };
}
