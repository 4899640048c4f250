import type { JSONSchema, Source } from "@tenon/jsonschema/core";
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  PrimitiveSchemaDefinition,
} from "@tenon/protocol";

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/**
 * The schema of a form: flat, every field a string, number, boolean or choice.
 *
 * @source
 */
export interface FormSchema {
  readonly $schema?: string;
  readonly type: "object";
  readonly properties: Readonly<Record<string, DeepReadonly<PrimitiveSchemaDefinition>>>;
  readonly required?: readonly string[];
}

/**
 * The schema of a form, in any form that the `input` of a tool may have: a JSON Schema literal, a
 * class, a `Model`, or a schema of a library. Its fields are those that a {@link FormSchema} can
 * have.
 */
export type FormSource = FormSchema | Exclude<Source, JSONSchema>;

/** A form to show. @typeParam S - Its schema. */
export interface FormParams<S = FormSchema> extends Pick<ElicitRequestFormParams, "message" | "mode"> {
  /**
   * The fields: a JSON Schema literal, a class with described fields, a `Model`, or a schema of a
   * library such as zod. Never ask for passwords, keys or payment data by form: use a URL.
   *
   * @source R-625
   */
  readonly requestedSchema: S;
}

/** A web page to open. */
export interface UrlParams extends Pick<ElicitRequestURLParams, "message" | "mode"> {
  /** HTTPS outside development; no secrets in it, and not enough to be logged in. @source R-627 */
  readonly url: string;
  /** Revision 2025-11-25 only, where it is unique in the server. Default: made at random. */
  readonly elicitationId?: string | undefined;
}

/**
 * The action of the user on an elicitation request. @typeParam T - The fields of the form;
 * `undefined` for a web page, where `accept` means no more than that it is opened.
 *
 * @source R-628
 */
export type ElicitOutcome<T> =
  | { readonly action: "accept"; readonly content: T }
  | {
      /** `decline`: the user refused. `cancel`: the user closed the form without a decision. */
      readonly action: "decline" | "cancel";
      readonly content?: undefined;
    };
