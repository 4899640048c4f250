import { compile, isSchemaError } from "@tenon/jsonschema/core";

import { escapePointer } from "./schema.ts";
import type { SchemaDocument } from "./schema.ts";

/** A fault of a schema document. */
export interface SchemaFault {
  /** JSON pointer of the place in the document, with `#`. */
  readonly pointer: string;
  readonly message: string;
}

/** The fault of a dialect that our own compiler of schemas does not know. */
export function faultOfDialect(dialect: string): SchemaFault | undefined {
  const fault = faultOf({ $schema: dialect });
  return (
    fault && {
      pointer: "#/$schema",
      message: `${fault.message}; use the URI of draft 2020-12, 2019-09 or draft-07`,
    }
  );
}

/**
 * The first fault in the keywords of a document, such as a `required` that is not an array of
 * strings. Our own compiler of schemas reads every definition.
 */
export function faultOfKeywords({
  dialect,
  container,
  definitions,
}: SchemaDocument): SchemaFault | undefined {
  const roots = Object.keys(definitions).map((name) => ({
    $ref: `#/$defs/${encodeURIComponent(escapePointer(name))}`,
  }));
  const fault = faultOf({
    $schema: dialect,
    $defs: definitions,
    ...(roots.length === 0 ? {} : { anyOf: roots }),
  });
  return fault && { ...fault, pointer: fault.pointer.replace(/^#\/\$defs(?=\/)/, `#/${container}`) };
}

function faultOf(schema: object): SchemaFault | undefined {
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    if (!isSchemaError(error)) {
      throw error;
    }
    return { pointer: error.location, message: error.message.replace(` (at ${error.location})`, "") };
  }
}
