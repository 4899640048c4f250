/** JSON Schema as this suite passes it on; each library has a type of its own for it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A schema with instances whose validity is known. */
export interface Case {
  readonly name: string;
  /** Whether the errors of an invalid instance lie in one place, or in the branches of a union. */
  readonly kind: "flat" | "union";
  readonly schema: Schema;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}
