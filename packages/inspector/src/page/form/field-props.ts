import type { VNode } from "preact";

import type { Schema } from "./shape.ts";

/** The properties of every field of a form. */
export interface FieldProps {
  readonly schema: Schema;
  /** The whole schema, for `$ref`. */
  readonly root: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The JSON pointer of the value: the ID of its field, and the key of its errors. */
  readonly path: string;
  /** Sentences about errors, by JSON pointer. */
  readonly errors: ReadonlyMap<string, string>;
  readonly label: string;
  readonly required?: boolean | undefined;
  /** Nested fields beyond this are JSON. */
  readonly depth: number;
  /** Draws nested values. */
  readonly nested: (props: FieldProps) => VNode;
}

/** The ID of the element of a field. */
export function fieldId(path: string): string {
  return `field${path.replaceAll("/", "-").replaceAll(" ", "_")}`;
}
