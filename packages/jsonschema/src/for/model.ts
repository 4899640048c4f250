import { invalid } from "../standard/recognise.ts";
import { isMembers } from "../value/members.ts";
import { classSpec, type ClassOptions } from "./class.ts";
import { decoratorOf, type FieldDecorator } from "./decorator.ts";
import { describeClass } from "./describe.ts";
import { defineFields } from "./metadata.ts";
import type { FieldSpec } from "./shape.ts";
import type { Described, Source, OutputOf } from "./source.ts";
import { specOf } from "./spec-of.ts";

/** The properties of a model, by name. */
export interface ModelProperties {
  readonly [name: string]: Source;
}

/** The instances of a model with the properties `P`. */
export type ModelValue<P> = Flat<
  { -readonly [K in keyof P as P[K] extends OptionalField ? never : K]: OutputOf<P[K]> } & {
    -readonly [K in keyof P as P[K] extends OptionalField ? K : never]?: OutputOf<P[K]>;
  }
>;
interface OptionalField {
  readonly "~field": FieldSpec<unknown, true>;
}
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** A class made by {@link Model}, to be extended or used directly. */
export type ModelClass<T> = new () => T;

/**
 * A class from a literal, for code that is not compiled with decorators: one source for the type
 * and the schema. A fresh instance has the defaults of its properties.
 *
 * @example
 * class Search extends Model({
 *   query: string("What to look for"),
 *   limit: { type: "integer", default: 20 },
 *   near: optional(Place),
 * }) {
 *   get short() { return this.query.length < 10; }
 * }
 */
export function Model<const P extends ModelProperties>(
  properties: P,
  options?: ClassOptions,
): ModelClass<ModelValue<P>> {
  const fields = Object.entries(properties).map(([key, source]) => {
    if (key === "__proto__") {
      throw invalid("a property must not be named __proto__");
    }
    const spec = specOf(source);
    return { key, name: spec.name ?? key, spec };
  });
  const initial = fields.map(({ key, spec }) => [key, defaultOf(spec)] as const);
  class ModelBase {
    [name: string]: unknown;
    constructor() {
      for (const [key, value] of initial) {
        if (value !== undefined) {
          this[key] = copyOf(value);
        }
      }
    }
  }
  defineFields(ModelBase, fields, describeClass, classSpec(options));
  // The compiler cannot relate a class with any properties to the properties that `P` describes.
  return ModelBase as unknown as ModelClass<ModelValue<P>>;
}

function defaultOf({ keywords, shape }: FieldSpec): unknown {
  if (keywords.default !== undefined) {
    return keywords.default;
  }
  return shape.kind === "json" && typeof shape.schema === "object" ? shape.schema.default : undefined;
}

// Instances must not share mutable values. Instances of unknown classes are shared.
function copyOf(value: unknown): unknown {
  if (value instanceof Date) {
    return new Date(value);
  }
  if (value instanceof URL) {
    return new URL(value);
  }
  if (value instanceof Uint8Array) {
    return value.slice();
  }
  if (Array.isArray(value)) {
    return value.map(copyOf);
  }
  if (!isMembers(value) || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}

/** Makes a property of a {@link Model} one that may be absent. */
export function optional<const S extends Source>(source: S): FieldDecorator<OutputOf<S>, true> & Described {
  return decoratorOf<OutputOf<S>, true>({
    ...(specOf(source) as FieldSpec<OutputOf<S>, true>),
    optional: true,
  });
}
