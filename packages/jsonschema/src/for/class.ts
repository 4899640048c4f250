import type { JSONSchemaObject } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import { registerClass, type ClassSpec } from "./metadata.ts";

/** Options of a class as a whole. */
export interface ClassOptions {
  /**
   * Its name under `$defs`. Default: the property it was first met in. The class's own name does
   * not survive minifiers.
   */
  readonly name?: string | undefined;
  /**
   * Whether properties that are not described are accepted. They are kept on instances. Default
   * `false`.
   */
  readonly additionalProperties?: boolean | undefined;
  /** A name for people. */
  readonly title?: string | undefined;
  /** The purpose, for people and models. */
  readonly description?: string | undefined;
  /** Example values in their JSON form, for people and models. */
  readonly examples?: readonly unknown[] | undefined;
  /** Whether it should not be used any more. Only said, never enforced. */
  readonly deprecated?: boolean | undefined;
  /** Minimum number of properties. */
  readonly minProperties?: number | undefined;
  /** Maximum number of properties. */
  readonly maxProperties?: number | undefined;
  /** The properties that are required if another property is present. */
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>> | undefined;
  /** A note for readers of the schema. */
  readonly $comment?: string | undefined;
  readonly [vendorKeyword: `x-${string}`]: unknown;
}

/**
 * Describes a class as a whole: `@schema("A place on Earth", { name: "Place" }) class Place { … }`.
 * Needed only for options that fields do not have. Not inherited by a class that describes its own
 * fields.
 */
export function schema(
  description?: string | ClassOptions,
  options?: ClassOptions,
): (target: Class, context: ClassDecoratorContext) => void {
  const spec = classSpec(description, options);
  return (_target, context) => registerClass(context, spec);
}

/** Sorts the options of a class. */
export function classSpec(description?: string | ClassOptions, options?: ClassOptions): ClassSpec {
  const given =
    typeof description === "string" ? { description, ...options } : (description ?? options ?? {});
  const { name, additionalProperties, ...keywords } = given;
  return { name, additionalProperties, keywords: keywords as JSONSchemaObject };
}
