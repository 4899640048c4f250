import { createChooser, type Chooser } from "./choose-branch.ts";
import type { ValidatorState } from "./compile.ts";
import type { Node } from "./ir/node.ts";
import type { Validator } from "./validator.ts";
import { has, type Members } from "./value/members.ts";

/** Maximum number of objects and arrays that are created inside a missing one. */
const maxMade = 1000;

/** The state of one call. */
interface Filling {
  /** Nodes that lead to a `default`; all others change nothing. */
  readonly leading: ReadonlySet<Node>;
  /** The declared properties of a node that lead to a `default`. */
  readonly declaredBy: (node: Node) => readonly Declared[];
  readonly branchOf: Chooser;
  readonly conforms: (node: Node, value: unknown) => boolean;
  /** The container to write to: the given one, or its copy. */
  readonly own: <T extends object>(container: T) => T;
  /** How much may still be made inside the value that is being made. */
  readonly making: { left: number } | undefined;
  /**
   * Objects and arrays that lead to the value: a value that contains itself is not JSON, but must
   * not hang.
   */
  readonly open: Set<object>;
}

/** A declared property that leads to a `default`. */
interface Declared {
  readonly name: string;
  readonly child: Node;
  readonly isRequired: boolean;
}

/** The method of a validator that fills in defaults. */
export function defaultsOf(state: ValidatorState): Pick<Validator, "applyDefaults"> {
  const { program, closures, meter, stopped, depth } = state;
  const branchOf = createChooser();
  let leading: ReadonlySet<Node> | undefined;
  let declaredBy: Filling["declaredBy"] | undefined;

  function conforms(node: Node, value: unknown): boolean {
    // The remaining steps are shared by all functions of one call.
    meter.depth = 0;
    try {
      return closures().check(node)(value);
    } catch (error) {
      stopped(error);
      return false;
    }
  }

  return {
    applyDefaults(value: unknown, { mutate = false } = {}) {
      leading ??= nodesThatLead(program.nodes);
      if (leading.size === 0) {
        return value;
      }
      declaredBy ??= membersThatLead(leading);
      meter.reset();
      const own = mutate ? <T>(container: T): T => container : copies();
      const open = new Set<object>();
      const filling = { leading, declaredBy, branchOf, conforms, own, making: undefined, open };
      try {
        return fill([program.root], value, depth, filling);
      } catch (error) {
        stopped(error);
        return value;
      }
    },
  };
}

/** The nodes with a default, and all that reach one. */
function nodesThatLead(nodes: readonly Node[]): ReadonlySet<Node> {
  const leading = new Set(nodes.filter((node) => defaultOf(node) !== undefined));
  if (leading.size === 0) {
    return leading;
  }
  const parents = new Map<Node, Node[]>();
  for (const node of nodes) {
    for (const child of node.children ?? []) {
      push(parents, child, node);
    }
  }
  for (const node of leading) {
    for (const parent of parents.get(node) ?? []) {
      leading.add(parent);
    }
  }
  return leading;
}

function membersThatLead(leading: ReadonlySet<Node>): Filling["declaredBy"] {
  const known = new Map<Node, readonly Declared[]>();
  return (node) => {
    let declared = known.get(node);
    if (declared === undefined) {
      const required = new Set(node.required);
      declared = [...(node.properties ?? [])]
        .filter(([, child]) => leading.has(child))
        .map(([name, child]) => ({ name, child, isRequired: required.has(name) }));
      known.set(node, declared);
    }
    return declared;
  };
}

/** Copies each container when it is first written to. */
function copies(): Filling["own"] {
  const owned = new Set<object>();
  return <T extends object>(container: T): T => {
    if (owned.has(container)) {
      return container;
    }
    const copy = (Array.isArray(container) ? container.slice() : { ...container }) as T;
    owned.add(copy);
    return copy;
  };
}

/**
 * Fills a value with the defaults of all these nodes, down to `depth` levels. Returns the filled
 * value.
 */
function fill(nodes: readonly Node[], value: unknown, depth: number, filling: Filling): unknown {
  if (typeof value !== "object" || value === null || depth <= 0 || filling.open.has(value)) {
    return value;
  }
  const applied = appliedTo(nodes, value, filling);
  if (applied.length === 0) {
    return value;
  }
  filling.open.add(value);
  const filled = Array.isArray(value)
    ? fillItems(applied, value, depth, filling)
    : fillMembers(applied, value as Members, depth, filling);
  filling.open.delete(value);
  return filled;
}

/**
 * The nodes that certainly apply to a value: the given nodes, the targets of their references,
 * `allOf`, and decided branches. Each node is contained once, so the work is limited by the sizes
 * of the schema and the value.
 */
function appliedTo(nodes: readonly Node[], value: unknown, { leading, branchOf }: Filling): readonly Node[] {
  const [first] = nodes;
  if (nodes.length === 1 && first !== undefined && isAlone(first)) {
    return leading.has(first) ? nodes : [];
  }
  const applied = new Set<Node>();
  const add = (node: Node | undefined): void => {
    if (node !== undefined && leading.has(node)) {
      applied.add(node);
    }
  };
  for (const node of nodes) {
    add(node);
  }
  for (const { ref, dynamicRef, allOf, anyOf, oneOf } of applied) {
    add(ref);
    add(dynamicRef);
    if (allOf !== undefined) {
      for (const part of allOf) {
        add(part);
      }
    }
    if (anyOf !== undefined) {
      add(branchOf(anyOf, value));
    }
    if (oneOf !== undefined) {
      add(branchOf(oneOf, value));
    }
  }
  return [...applied];
}

function isAlone({ ref, dynamicRef, allOf, anyOf, oneOf }: Node): boolean {
  return (ref ?? dynamicRef ?? allOf ?? anyOf ?? oneOf) === undefined;
}

function fillItems(
  applied: readonly Node[],
  items: readonly unknown[],
  depth: number,
  filling: Filling,
): readonly unknown[] {
  const at = (i: number): Node[] =>
    applied.flatMap(({ prefixItems, items: rest }) => prefixItems?.[i] ?? rest ?? []);
  const rest = at(Infinity);
  const prefix = Math.max(...applied.map(({ prefixItems }) => prefixItems?.length ?? 0));
  let out = items as unknown[];
  for (const [i, item] of items.entries()) {
    const filled = fill(i < prefix ? at(i) : rest, item, depth - 1, filling);
    if (filled !== item) {
      (out = filling.own(out))[i] = filled;
    }
  }
  return out;
}

function fillMembers(applied: readonly Node[], members: Members, depth: number, filling: Filling): Members {
  const children = new Map<string, Node[]>();
  for (const node of applied) {
    for (const { name, child, isRequired } of filling.declaredBy(node)) {
      if (!isRequired || has(members, name)) {
        push(children, name, child);
      }
    }
    addOthers(node, members, children);
  }
  let out = members as Record<string, unknown>;
  for (const [name, nodes] of children) {
    const member = has(members, name) ? members[name] : undefined;
    const filled =
      member === undefined ? made(nodes, depth - 1, filling) : fill(nodes, member, depth - 1, filling);
    if (filled !== member) {
      set((out = filling.own(out)), name, filled);
    }
  }
  return out;
}

/** The properties that a node does not describe by name. */
function addOthers(node: Node, members: Members, children: Map<string, Node[]>): void {
  const { properties, patternProperties = [], additionalProperties } = node;
  if (patternProperties.length === 0 && additionalProperties === undefined) {
    return;
  }
  for (const name of Object.keys(members)) {
    if (members[name] === undefined) {
      continue;
    }
    let known = properties?.has(name) === true;
    for (const [pattern, child] of patternProperties) {
      if (!pattern.test(name)) {
        continue;
      }
      known = true;
      push(children, name, child);
    }
    if (!known && additionalProperties !== undefined) {
      push(children, name, additionalProperties);
    }
  }
}

/**
 * The value of a missing property: its default, or an object if something below has one and that
 * will do.
 */
function made(nodes: readonly Node[], depth: number, filling: Filling): unknown {
  if (depth <= 0) {
    return undefined;
  }
  const applied = appliedTo(nodes, undefined, filling);
  let stated: unknown;
  for (const node of applied) {
    if (stated === undefined) {
      stated = defaultOf(node);
    }
  }
  if (stated !== undefined && (typeof stated !== "object" || stated === null)) {
    return stated;
  }
  const inner = filling.making === undefined ? { ...filling, making: { left: maxMade } } : filling;
  if (inner.making === undefined || inner.making.left-- <= 0) {
    return undefined;
  }
  if (stated !== undefined) {
    return fill(nodes, clone(stated, depth), depth, inner);
  }
  // A schema that contains itself would have an infinite default.
  const recurs = appliedTo(nodes, {}, filling).some(({ recursive }) => recursive);
  if (recurs || !applied.some(({ properties }) => properties !== undefined)) {
    return undefined;
  }
  const object = fill(nodes, {}, depth, inner) as Members;
  if (Object.keys(object).length === 0) {
    return undefined;
  }
  return nodes.every((node) => filling.conforms(node, object)) ? object : undefined;
}

/** A deep copy, so that the schema cannot be changed. Values below `depth` levels are omitted. */
function clone(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (depth <= 0) {
    return undefined;
  }
  if (Array.isArray(value)) {
    return value.map((item) => clone(item, depth - 1));
  }
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    set(copy, name, clone(member, depth - 1));
  }
  return copy;
}

function defaultOf({ schema, resource }: Node): unknown {
  if (typeof schema === "boolean") {
    return undefined;
  }
  // In draft-07 it has no effect: `$ref` hides all keywords next to it.
  return resource.dialect.legacy && schema["$ref"] !== undefined ? undefined : schema["default"];
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [value]);
  } else {
    list.push(value);
  }
}

// A property named `__proto__` must become a property, never the prototype.
function set(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    members[name] = value;
  }
}
