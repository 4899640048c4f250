import type { Members } from "../document/values.ts";

/** The places of parameters. */
export type Place = "path" | "query" | "header" | "cookie" | "querystring";

/** The styles of parameters. */
export type Style =
  | "matrix"
  | "label"
  | "simple"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  // Not of OpenAPI: `tsv` of Swagger 2.0.
  | "tabDelimited"
  | "deepObject"
  | "cookie";

/** The notation of a value in a URL, a header or a form. */
export interface Serialization {
  readonly style: Style;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

/** A parameter of an operation, in the form of OpenAPI 3. */
export interface Parameter extends Serialization {
  readonly name: string;
  readonly place: Place;
  readonly isRequired: boolean;
  readonly allowEmpty: boolean;
  /** The media type in which the value is written, in place of a style. */
  readonly mediaType: string | undefined;
  readonly schema: unknown;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  readonly examples: readonly unknown[];
}

/** The format of a body. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "binary";

/** The body of an operation, in the media type that is sent. */
export interface Body {
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
  readonly examples: readonly unknown[];
  /** By the name of a property: its encoding object. */
  readonly encoding: Members;
}

/** A documented response. */
export interface ResponseInfo {
  /** Such as `200`, `2XX` or `default`. */
  readonly status: string;
  readonly description: string | undefined;
  /** Media types and the schemas of their values. */
  readonly content: ReadonlyMap<string, unknown>;
}

/** An operation of a document, in the form of OpenAPI 3, whatever the document's version. */
export interface Operation {
  readonly id: string | undefined;
  /** In upper case. */
  readonly method: string;
  /** As in the document, with its templates. */
  readonly path: string;
  /** The query in the path, without `?`. Usually empty: OpenAPI does not allow it. */
  readonly fixedQuery: string;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly ResponseInfo[];
  /** The server objects that apply to the operation alone. */
  readonly servers: readonly unknown[] | undefined;
  /** Alternatives, each the names of schemes with their scopes. */
  readonly security: readonly Members[];
}
