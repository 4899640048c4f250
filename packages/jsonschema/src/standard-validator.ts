import { somePart } from "./dialect/schema-parts.ts";
import { asObject, type JSONSchema } from "./schema.ts";
import type { StandardIssue, StandardValidator } from "./standard/spec.ts";
import { withDefaults } from "./standard/with-defaults.ts";
import type { CheckResult, ValidationIssue, Validator } from "./validator.ts";
import { isMembers } from "./value/members.ts";

const dialects: Readonly<Record<string, string>> = {
  "draft-2020-12": "https://json-schema.org/draft/2020-12/schema",
  "draft-07": "http://json-schema.org/draft-07/schema#",
};

/** Keywords that draft-07 and draft 2020-12 do not have in common. */
const different = new Set([
  "$anchor",
  "$defs",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveAnchor",
  "$recursiveRef",
  "$vocabulary",
  "additionalItems",
  "definitions",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** The `~standard` property of a validator: `validate` applies defaults, then checks. */
export function standardOf<T, D>(validator: Omit<Validator<T, D>, "~standard">): StandardValidator<T, D> {
  const check = withDefaults(validator) as (value: unknown) => CheckResult<D>;
  const describe = ({ target }: { readonly target: string }): Record<string, unknown> =>
    inDialect(validator.schema, target);
  return {
    version: 1,
    vendor: "tenon",
    validate(value) {
      const result = check(value);
      if (result.valid) {
        return { value: result.value };
      }
      return { issues: result.errors.map((error) => standardIssue(error, value)) };
    },
    jsonSchema: { input: describe, output: describe },
  };
}

function standardIssue({ instanceLocation, message }: ValidationIssue, value: unknown): StandardIssue {
  if (instanceLocation === "") {
    return { message };
  }
  let at = value;
  const path = instanceLocation
    .slice(1)
    .split("/")
    .map((segment) => {
      const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
      const key = Array.isArray(at) ? Number(name) : name;
      at = typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined;
      return key;
    });
  return { message, path };
}

function inDialect(schema: JSONSchema, target: string): Record<string, unknown> {
  const wanted = Object.hasOwn(dialects, target) ? dialects[target] : undefined;
  if (wanted === undefined) {
    throw new TypeError(`JSON Schema target "${target}" is not one of ${Object.keys(dialects).join(", ")}`);
  }
  const document = structuredClone(asObject(schema));
  const own = document.$schema ?? dialects["draft-2020-12"];
  if (withoutHash(own) !== withoutHash(wanted)) {
    const keyword = differing(document);
    if (keyword !== undefined) {
      throw new TypeError(
        `the schema cannot be given as ${target}: it uses ${keyword} and is written for ${own}`,
      );
    }
  }
  return { ...document, $schema: wanted };
}

function withoutHash(uri: string | undefined): string | undefined {
  return uri?.replace(/#$/, "");
}

function differing(schema: unknown): string | undefined {
  let found: string | undefined;
  const differs = (part: unknown): boolean => (found ??= differing(part)) !== undefined;
  if (Array.isArray(schema)) {
    schema.some(differs);
  }
  if (!isMembers(schema)) {
    return found;
  }
  const keywords = Object.keys(schema);
  found = keywords.find(
    (name) =>
      different.has(name) ||
      // Draft-07 ignores what stands beside `$ref`, and takes a list of schemas as `items` and an
      // anchor as `$id`.
      (name === "$ref" && keywords.length > 1) ||
      (name === "items" && Array.isArray(schema[name])) ||
      (name === "$id" && String(schema[name]).startsWith("#")),
  );
  somePart(schema, differs);
  return found;
}
