// The interfaces of the Standard Schema specification 1.1 (standardschema.dev), restated: they are
// contracts to be matched structurally, so nothing is imported.

/** The types that a Standard Schema declares for its values. */
export interface StandardTypes<In = unknown, Out = In> {
  readonly input: In;
  readonly output: Out;
}

/** One reason why a value was refused. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of a Standard Schema. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The common properties of Standard Schema and Standard JSON Schema. */
interface StandardBase<In = unknown, Out = In> {
  readonly version: 1;
  readonly vendor: string;
  readonly types?: StandardTypes<In, Out> | undefined;
}

/** Standard Schema v1: something that validates. */
export interface StandardSchema<In = unknown, Out = In> {
  readonly "~standard": StandardBase<In, Out> & {
    readonly validate: (
      value: unknown,
      options?: { readonly libraryOptions?: Record<string, unknown> | undefined },
    ) => StandardResult<Out> | Promise<StandardResult<Out>>;
  };
}

/**
 * Options of {@link StandardJSONSchema}. Draft 2020-12 and draft-07 are the targets every library
 * offers.
 */
export interface StandardJSONSchemaOptions {
  /** The dialect to write. */
  readonly target: "draft-2020-12" | "draft-07" | "openapi-3.0" | (string & {});
  /** Options of one library beyond the standard. By default there are none. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** Standard JSON Schema v1: something that describes its values as JSON Schema. */
export interface StandardJSONSchema<In = unknown, Out = In> {
  readonly "~standard": StandardBase<In, Out> & {
    readonly jsonSchema: {
      readonly input: (options: StandardJSONSchemaOptions) => Record<string, unknown>;
      readonly output: (options: StandardJSONSchemaOptions) => Record<string, unknown>;
    };
  };
}

/** Makes a compiled validator a Standard Schema v1 and a Standard JSON Schema v1. */
export type StandardValidator<T, D> = StandardSchema<T, D>["~standard"] &
  StandardJSONSchema<T, D>["~standard"];
