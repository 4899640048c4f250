import { malformed, notASchema } from "../ir/keyword-shape.ts";
import type { CustomDialects, DocumentSource } from "../ir/keyword.ts";
import type { Meter } from "../ir/meter.ts";
import { createNode, type Format, type Node, type Pattern, type Scope } from "../ir/node.ts";
import type { Reader } from "../ir/reader.ts";
import { locationOf, type Resource, type Target } from "../ir/resource.ts";
import { limitExceeded } from "../limit-exceeded.ts";
import type { CompileOptions, ResolvedLimits } from "../options.ts";
import { escapeToken } from "../reference/pointer.ts";
import { splitFragment } from "../reference/uri.ts";
import { compilePattern } from "../regex/pattern.ts";
import { createRegistry, recursiveAnchor, type Registry } from "../resolve/registry.ts";
import type { RawSchema } from "../schema.ts";
import { isMembers } from "../value/members.ts";
import { unique } from "../value/unique.ts";
import { analyse } from "./analyse.ts";
import type { Bounds } from "./bounds.ts";

/** The context of a compilation: options, limits, and the sources of formats and documents. */
export interface BuildContext {
  readonly options: CompileOptions;
  readonly limits: ResolvedLimits;
  readonly find: DocumentSource;
  readonly dialect: CustomDialects | undefined;
  readonly format: (name: string) => Format | undefined;
  readonly bounds: Bounds | undefined;
  readonly meter: Meter;
}

/** A schema in the intermediate representation, resolved and analyzed. */
export interface Program {
  readonly root: Node;
  /** Every node the root reaches. */
  readonly nodes: readonly Node[];
  /** Some node charges fuel or counts depth, so evaluation may stop at a limit. */
  readonly guarded: boolean;
}

/** Above this number of nodes, they may be nested deeper than the stack allows. */
const deep = 1_000;

/** Reads a schema and all it refers to into the IR. */
export function buildProgram(schema: unknown, context: BuildContext): Program {
  const { options, limits, meter, bounds } = context;
  const registry: Registry = createRegistry(schema, context);
  const nodes: Node[] = [];
  // A schema has a node for each scope and resource it is reached in.
  const memo = new Map<unknown, Node>();
  const scopes = new Map<string, Scope>();
  const entered = new Map<Scope, Map<Resource, Scope>>();
  let anchorsInScopes = 0;
  const patterns = new Map<string, Pattern>();
  // A queue instead of recursion: chains of references may be as long as the limits allow.
  const queue: Node[] = [];
  // Without a node that is reached twice there is neither recursion nor shared work.
  let isTree = true;
  let scope: Scope = new Map();
  // Whether the subschemas of the current keyword apply to the same value.
  let inPlace: true | undefined;

  function enter(outer: Scope, resource: Resource): Scope {
    if (resource.dynamicAnchors.size === 0) {
      return outer;
    }
    let inner = entered.get(outer);
    if (inner === undefined) {
      entered.set(outer, (inner = new Map<Resource, Scope>()));
    }
    let known = inner.get(resource);
    if (known === undefined) {
      inner.set(resource, (known = scopeWithin(outer, resource)));
    }
    return known;
  }

  function scopeWithin(outer: Scope, resource: Resource): Scope {
    const added = [...resource.dynamicAnchors].filter(([name]) => !outer.has(name));
    if (added.length === 0) {
      return outer;
    }
    const anchors = [...outer, ...added];
    // A chain of resources makes a scope for each of them, and each is larger than the last.
    anchorsInScopes += anchors.length;
    if (anchorsInScopes > limits.maxSubschemas) {
      throw limitExceeded(limits, "maxSubschemas", locationOf({ resource, pointer: "" }));
    }
    const key = anchors
      .map(([name, { resource, pointer }]) => JSON.stringify([name, resource.uri, pointer]))
      .sort()
      .join();
    let interned = scopes.get(key);
    if (interned === undefined) {
      scopes.set(key, (interned = new Map(anchors)));
    }
    return interned;
  }

  /** The node of a schema, in the dynamic scope it is reached from. */
  function nodeOf(target: Target): Node {
    const { schema, resource, pointer } = registry.atHome(target);
    if (typeof schema !== "boolean" && !isMembers(schema)) {
      throw notASchema(locationOf(target));
    }
    if (nodes.length >= limits.maxSubschemas) {
      throw limitExceeded(limits, "maxSubschemas", locationOf(target));
    }
    const inner = enter(scope, resource);
    const known = memo.get(schema);
    for (let same = known; same !== undefined; same = same.twin) {
      if (same.scope !== inner || same.resource !== resource) {
        continue;
      }
      isTree = false;
      return same;
    }
    const node = createNode(nodes.length, schema, resource, pointer, inner, known);
    nodes.push(node);
    if (typeof schema === "object") {
      memo.set(schema, node);
      queue.push(node);
    }
    return node;
  }

  /** The pointer to the value of the current keyword, or to a property of it. */
  function pathTo(name?: string | number): string {
    return `${reader.node.pointer}/${reader.keyword}${name === undefined ? "" : `/${escapeToken(name)}`}`;
  }

  function locationTo(name?: string): string {
    return locationOf({ resource: reader.node.resource, pointer: pathTo(name) });
  }

  function apply(target: Target): Node {
    const { node } = reader;
    const child = nodeOf(target);
    (node.children ??= []).push(child);
    if (inPlace === true) {
      (node.inPlace ??= []).push(child);
    }
    return child;
  }

  function read(node: Node, schema: RawSchema): void {
    const { keywords, legacy } = node.resource.dialect;
    reader.node = node;
    ({ scope } = node);
    let applied = 0;
    for (const key of legacy && schema["$ref"] !== undefined ? ["$ref"] : Object.keys(schema)) {
      const keyword = keywords.get(key);
      const value = schema[key];
      if (keyword?.read === undefined || value === undefined) {
        continue;
      }
      reader.keyword = key;
      ({ inPlace } = keyword);
      const kept = keyword.read(reader, value);
      // The IR calls keywords as draft 2020-12 does. The compiler cannot know that a keyword
      // returns the value of the property with its name.
      if (kept !== undefined) {
        (node as unknown as Record<string, unknown>)[key] = kept;
      }
      applied++;
    }
    if (applied === 1) {
      node.alias = node.ref ?? node.dynamicRef ?? (node.allOf?.length === 1 ? node.allOf[0] : undefined);
    }
  }

  const boundPattern = bounds?.patternsOf(meter);
  const root = nodeOf(registry.root);
  const reader: { -readonly [K in keyof Reader]: Reader[K] } = {
    options,
    node: root,
    keyword: "",
    child: (schema, name) => apply({ schema, resource: reader.node.resource, pointer: pathTo(name) }),
    reference(uri) {
      const { node, keyword } = reader;
      const target = registry.resolve(node.resource, uri, locationTo());
      if (keyword === "$ref") {
        return apply(target);
      }
      const name = keyword === "$recursiveRef" ? recursiveAnchor : splitFragment(uri)[1];
      const isBookend = target.resource.dynamicAnchors.get(name)?.schema === target.schema;
      return apply((isBookend ? scope.get(name) : undefined) ?? target);
    },
    pattern(source, name) {
      let pattern = patterns.get(source);
      if (pattern === undefined) {
        pattern = compilePattern(source, locationTo(name), options, limits, boundPattern);
        patterns.set(source, pattern);
      }
      return pattern;
    },
    format: context.format,
    unique: bounds?.uniqueOf(meter) ?? unique,
    require(shape, value) {
      if (!shape[1](value)) {
        throw malformed(shape, reader.keyword, locationTo());
      }
    },
  };
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    read(node, node.schema as RawSchema);
  }
  // Comparing items descends as deep as the instance goes.
  const limited = nodes.length > deep || nodes.some((node) => node.uniqueItems !== undefined);
  const guarded = !isTree && analyse(nodes, root);
  bounds?.charge(root, nodes);
  return { root, nodes, guarded: guarded || limited || bounds !== undefined };
}
