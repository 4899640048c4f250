import { followAlias, type Node } from "./node.ts";

/** More subschemas than this at one place are left to the general way. */
const maxParts = 40;
const maxNames = 31;

/**
 * The property names a schema and everything applied in place can evaluate, if they are known at
 * compile time.
 */
export interface EvaluatedNames {
  /** A bit for each name. */
  readonly bits: ReadonlyMap<string, number>;
  /** Which of them count depends on the instance: some subschema is applied conditionally. */
  readonly conditional: boolean;
}

/**
 * For `unevaluatedProperties` with subschemas that only use `properties`: the names that a branch
 * evaluates are known before validation, so one bit per name is enough. Otherwise `undefined`.
 */
export function evaluatedNames(root: Node): EvaluatedNames | undefined {
  const bits = new Map<string, number>();
  let parts = 0;
  let conditional = false;

  function visit(node: Node): boolean {
    const target = followAlias(node);
    if (typeof target.schema === "boolean") {
      return true;
    }
    if (++parts > maxParts || target.fuel > 0) {
      return false;
    }
    if (target.patternProperties !== undefined || target.additionalProperties !== undefined) {
      return false;
    }
    if (target !== root && target.unevaluatedProperties !== undefined) {
      return false;
    }
    for (const name of target.properties?.keys() ?? []) {
      if (!bits.has(name)) {
        bits.set(name, 1 << bits.size);
      }
    }
    const branches = [...(target.anyOf ?? []), ...(target.oneOf ?? [])];
    for (const [, child] of target.dependentSchemas ?? []) {
      branches.push(child);
    }
    for (const child of [target.if, target.then, target.else]) {
      if (child !== undefined) {
        branches.push(child);
      }
    }
    if (branches.length > 0) {
      conditional = true;
    }
    for (const child of [target.ref, target.dynamicRef, ...(target.allOf ?? [])]) {
      if (child !== undefined) {
        branches.push(child);
      }
    }
    return bits.size <= maxNames && branches.every(visit);
  }

  return visit(root) ? { bits, conditional } : undefined;
}

/**
 * Whether items that `contains` matches count as evaluated: since draft 2020-12, which also has
 * `prefixItems` (core §11.2).
 */
export function containsEvaluates({ resource }: Node): boolean {
  return resource.dialect.keywords.has("prefixItems");
}
