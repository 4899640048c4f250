import type { JSONSchema, JSONSchemaObject } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import type { StandardJSONSchema } from "../standard/spec.ts";

/** The string form of a value that has no JSON type. */
export interface Codec {
  /** The expected form of the string, for messages. */
  readonly expected: string;
  /** The value, or `undefined` if the text is not one. */
  decode(text: string): unknown;
  /** True for values that {@link Codec.encode} takes. */
  accepts(value: unknown): boolean;
  encode(value: unknown): string;
}

/** The parts of a value. */
export type Shape =
  | { readonly kind: "json"; readonly schema: JSONSchema }
  | { readonly kind: "text"; readonly schema: JSONSchemaObject; readonly codec: Codec }
  | { readonly kind: "class"; readonly resolve: () => Class }
  | { readonly kind: "array"; readonly items: FieldSpec }
  | { readonly kind: "map"; readonly values: FieldSpec }
  | { readonly kind: "union"; readonly branches: readonly FieldSpec[] }
  | { readonly kind: "standard"; readonly source: StandardJSONSchema };

/**
 * A described value.
 *
 * @typeParam V - its type
 * @typeParam Optional - whether it may be absent
 */
export interface FieldSpec<V = unknown, Optional extends boolean = boolean> {
  readonly shape: Shape;
  /** Keywords that are added to the keywords of the shape. */
  readonly keywords: JSONSchemaObject;
  readonly optional: boolean;
  readonly nullable: boolean;
  /** The property's name on the wire, if it is not the field's. */
  readonly name?: string | undefined;
  /** For the compiler only. */
  readonly types?: { readonly value: V; readonly optional: Optional };
}

/** A property of a class. */
export interface Field {
  /** The name in the class. */
  readonly key: string;
  /** The name on the wire. */
  readonly name: string;
  readonly spec: FieldSpec;
}
