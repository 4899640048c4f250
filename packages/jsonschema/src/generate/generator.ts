import { checkKinds } from "../check-options.ts";
import { compileIn } from "../compile.ts";
import type { Node } from "../ir/node.ts";
import type { JSONSchema } from "../schema.ts";
import { treeEnvironment } from "../tree-environment.ts";
import { Allowance, Exhausted } from "./allowance.ts";
import { nearMisses, type NearMiss } from "./near-miss.ts";
import { seededRandom, type Random } from "./random.ts";
import { valueFor } from "./value.ts";

/** Options of {@link createGenerator}. */
export interface GeneratorOptions {
  /** The source of chance. Default: {@link seededRandom} with the seed 1. */
  readonly random?: Random | undefined;
  /** Depth below which values are as small as the schema allows. Default: 4. */
  readonly maxDepth?: number | undefined;
}

/** Creates values for one schema. */
export interface ValueGenerator {
  /**
   * A value that conforms to the schema, in a list of one. Empty if 200 attempts did not find one:
   * the schema allows no value, its keywords contradict each other nearly always, or its values are
   * too large. A value has at most 10,000 parts and 1,048,576 characters, and takes at most a
   * few seconds.
   */
  valid(): [value: unknown] | [];
  /**
   * Values that do not conform, each with one difference from a value that {@link valid} gives.
   * Empty if there is no such value, or the schema allows every value that was tried.
   */
  nearMisses(): NearMiss[];
}

const maxTries = 200;
/** Values in one generated value, of all levels, before the rest is as small as possible. */
const maxValues = 400;
/** The work units of one check. Values are small, so that more is the fault of the schema. */
const maxSteps = 1_000_000;

/**
 * Creates values for a schema, for tests: conforming ones, with limits, formats and unusual
 * strings, and values that miss by one detail. Strings have the format of the schema, although
 * validators may ignore it. The schema may come from an untrusted author.
 *
 * @throws `SchemaError` for a schema that cannot be compiled; `TypeError` for options that do not
 *   exist.
 */
export function createGenerator(schema: JSONSchema, options: GeneratorOptions = {}): ValueGenerator {
  checkKinds(options, { random: "function", maxDepth: "number" }, {});
  const { random = seededRandom(1), maxDepth = 4 } = options;
  const { check, root } = compileIn<unknown, { readonly root: Node }>(treeEnvironment, schema, {
    untrusted: true,
    limits: { maxSteps },
  });

  function attempt(allowance: Allowance, depth: number): unknown {
    allowance.restart();
    try {
      return valueFor([root], { random, maxDepth: depth, budget: maxValues, allowance, valueFor }, 0);
    } catch (error) {
      if (error instanceof Exhausted) {
        allowance.punish();
        return undefined;
      }
      throw error;
    }
  }

  function valid(): [unknown] | [] {
    const allowance = new Allowance();
    for (let tries = 0; tries < maxTries && allowance.isLeft; tries++) {
      // Later attempts are smaller: fewer places where keywords can contradict each other.
      const depth = Math.max(0, maxDepth - Math.floor((tries * (maxDepth + 1)) / maxTries));
      const value = attempt(allowance, depth);
      if (value !== undefined && check(value).valid) {
        return [value];
      }
    }
    return [];
  }

  return { valid, nearMisses: () => valid().flatMap((value) => nearMisses(value, check, random)) };
}
