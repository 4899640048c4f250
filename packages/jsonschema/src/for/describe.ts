import type { Class } from "../standard/class.ts";
import { decodeSpec } from "./decode.ts";
import type { Description } from "./description.ts";
import { encodeValue } from "./encode.ts";
import { For, schemaOfSpec } from "./for.ts";
import type { FieldSpec } from "./shape.ts";
import { specOf } from "./spec-of.ts";

/** The description of a class, for code that resolves it. */
export function describeClass(target: Class): Description {
  return { ...describeSpec(specOf(target)), schema: () => For(target) };
}

/** The description of a value, for code that resolves it. */
export function describeSpec(spec: FieldSpec): Description {
  return {
    schema: () => schemaOfSpec(spec),
    encode: (value) => encodeValue(spec, value),
    decode: (value, errors, compile) => decodeSpec(spec, value, errors, compile),
  };
}
