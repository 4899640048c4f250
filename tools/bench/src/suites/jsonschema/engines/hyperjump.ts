import type { Schema } from "../case.ts";
import type { Engine } from "../engine.ts";

type Output = { readonly valid: boolean; readonly errors?: readonly unknown[] };
type Validate = (instance: unknown, format?: "BASIC") => Output;

/**
 * The part used here. Its own declarations do not compile without `skipLibCheck`, hence the import
 * by a variable.
 */
interface Hyperjump {
  registerSchema(schema: Schema, uri: string, dialect: string): void;
  unregisterSchema(uri: string): void;
  validate(uri: string): Promise<Validate>;
  setShouldValidateFormat(isEnabled: boolean): void;
}

const name: string = "@hyperjump/json-schema";
const library = (await import(`${name}/draft-2020-12`)) as Hyperjump;
await import(`${name}/formats`);
library.setShouldValidateFormat(true);

let registered = 0;

/** Its schemas live in a global registry; a compiled one does not need it any more. */
async function compile(schema: Schema): Promise<Validate> {
  const uri = `https://bench.invalid/${++registered}`;
  library.registerSchema(schema, uri, "https://json-schema.org/draft/2020-12/schema");
  try {
    return await library.validate(uri);
  } finally {
    library.unregisterSchema(uri);
  }
}

export const hyperjump: Engine = {
  name: "hyperjump",
  async compile(schema) {
    const validate = await compile(schema);
    return (instance) => validate(instance).valid;
  },
  async compileErrors(schema) {
    const validate = await compile(schema);
    return (instance) => validate(instance, "BASIC").errors?.length ?? 0;
  },
};
