import { describeClass, describeSpec } from "./describe.ts";
import { description } from "./description.ts";
import { registerField } from "./metadata.ts";
import type { FieldSpec, Shape } from "./shape.ts";

/** Options every kind has. */
export interface FieldOptions<V, Optional extends boolean, Nullable extends boolean> {
  /** The property may be absent. The field is then written with `?`. Default `false`. */
  readonly optional?: Optional | undefined;
  /** The value may be `null`. Default `false`. */
  readonly nullable?: Nullable | undefined;
  /** The property's name on the wire. Default: the field's. */
  readonly name?: string | undefined;
  /** A name for people. */
  readonly title?: string | undefined;
  /** The purpose, for people and models. */
  readonly description?: string | undefined;
  /**
   * The value of an absent property, as the field holds it. Default: the field's initializer, if it
   * has one.
   */
  readonly default?: V | (Nullable extends true ? null : never) | undefined;
  /** Example values in their JSON form. */
  readonly examples?: readonly unknown[] | undefined;
  /** Whether it should not be used any more. Only said, never enforced. */
  readonly deprecated?: boolean | undefined;
  /** Whether only the side that owns the value sets it. Only said, never enforced. */
  readonly readOnly?: boolean | undefined;
  /** Whether the value is never shown again. Only said, never enforced. */
  readonly writeOnly?: boolean | undefined;
  /** A note for readers of the schema. */
  readonly $comment?: string | undefined;
  readonly [vendorKeyword: `x-${string}`]: unknown;
}

/** The type of a field, with `null` if it is nullable. */
export type Nullish<V, Nullable extends boolean> = Nullable extends true ? V | null : V;

/**
 * Decorates a field that has exactly the type `V`, and describes such a value to `array`, `map`,
 * `union` and `Model`.
 */
export interface FieldDecorator<V, Optional extends boolean = false> {
  <This, F>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, F> & FieldCheck<F, V, Optional>,
  ): void;
  readonly "~field": FieldSpec<V, Optional>;
}

// The compiler prints the type a decorator's context was compared with, so that type says what is
// wrong.
type FieldCheck<F, V, Optional extends boolean> = Optional extends true
  ? undefined extends F
    ? Compare<Exclude<F, undefined>, Exclude<V, undefined>>
    : {
        readonly mismatch: "the property is optional: write the field with `?`, or drop `optional`";
        readonly field: F;
      }
  : Same<F, V> extends true
    ? unknown
    : undefined extends F
      ? {
          readonly mismatch: "the field may be undefined: pass `optional: true`, or drop the `?`";
          readonly field: F;
        }
      : Compare<F, V>;
type Compare<F, V> =
  Same<F, V> extends true
    ? unknown
    : {
        readonly mismatch: "the field's type is not the type the schema describes";
        readonly field: F;
        readonly schema: V;
      };
// Both directions; a field may call an array readonly.
type Same<F, V> = [V] extends [F]
  ? [F] extends [V extends readonly unknown[] ? Readonly<V> : V]
    ? true
    : false
  : false;

type AnyOptions = Readonly<Record<string, unknown>>;

/** Makes the decorator of a shape. `description` may be left out. */
export function describeField<V, Optional extends boolean>(
  shape: Shape,
  description: unknown,
  options: unknown,
): FieldDecorator<V, Optional> {
  const given = (typeof description === "string" ? options : (description ?? options)) as
    | AnyOptions
    | undefined;
  const { optional, nullable, name, ...rest } = given ?? {};
  const keywords: Record<string, unknown> = typeof description === "string" ? { description } : {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (value !== undefined) {
      keywords[keyword] = value;
    }
  }
  return decoratorOf({
    shape,
    keywords,
    optional: optional === true,
    nullable: nullable === true,
    name: name as string | undefined,
  });
}

/** Makes a decorator of a description. */
export function decoratorOf<V, Optional extends boolean>(
  spec: FieldSpec<V, Optional>,
): FieldDecorator<V, Optional> {
  const decorate = (_value: undefined, context: ClassFieldDecoratorContext): void =>
    registerField(context, spec, describeClass);
  return Object.assign(decorate, { "~field": spec, [description]: describeSpec(spec) });
}
