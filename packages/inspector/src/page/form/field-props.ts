import type { VNode } from "preact";

import type { Schema } from "./shape.ts";

/** The properties of every field of a form. */
export interface FieldProps {
  /** The ID of the form. It begins the IDs of its fields, because a page can have several forms. */
  readonly form: string;
  readonly schema: Schema;
  /** The whole schema, for `$ref`. */
  readonly root: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The JSON pointer of the value: the ID of its field, and the key of its errors. */
  readonly path: string;
  /** Sentences about errors, by JSON pointer. */
  readonly errors: ReadonlyMap<string, string>;
  /** Reports a draft that is not a value yet; `undefined` when it is one. */
  readonly onDraft: (path: string, problem: string | undefined) => void;
  readonly label: string;
  readonly required?: boolean | undefined;
  /** Nested fields beyond this are JSON. */
  readonly depth: number;
  /** Draws nested values. */
  readonly nested: (props: FieldProps) => VNode;
}

/** The ID of the element of a field. */
export function fieldId({ form, path }: Pick<FieldProps, "form" | "path">): string {
  return `${form}${path.replaceAll(/[^\w/-]/g, (sign) => `_${sign.codePointAt(0)}_`).replaceAll("/", ".")}`;
}

/** The pointer of a property. */
export function pathOf(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The properties that a field passes to the fields of its parts. */
export function nestedProps({
  form,
  root,
  errors,
  onDraft,
  nested,
}: FieldProps): Pick<FieldProps, "form" | "root" | "errors" | "onDraft" | "nested"> {
  return { form, root, errors, onDraft, nested };
}
