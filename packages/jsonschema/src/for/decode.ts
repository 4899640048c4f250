import { escapeToken } from "../reference/pointer.ts";
import type { Class } from "../standard/class.ts";
import { locationOf } from "../standard/location.ts";
import { invalid } from "../standard/recognise.ts";
import type { StandardSchema } from "../standard/spec.ts";
import type { ValidationIssue } from "../validator.ts";
import { has } from "../value/members.ts";
import type { CompileBranch } from "./description.ts";
import { schemaOfSpec } from "./for.ts";
import { classSpecOf, fieldsOf } from "./metadata.ts";
import type { Codec, FieldSpec } from "./shape.ts";

/** Nesting beyond this is refused, as validation does by default. */
const maxDepth = 512;

interface Decoding {
  /** Property names and indices from the root to the value, as JSON Pointer segments. */
  readonly path: string[];
  /**
   * Keywords from the root to the description. Recursive classes are not followed through their
   * `$ref`.
   */
  readonly keywords: string[];
  readonly errors: ValidationIssue[];
  /** Selects the branch of a union. */
  readonly compile: CompileBranch;
  /**
   * The issues of an object for each branch that was tried, so that nested unions try each branch
   * once.
   */
  readonly failed: Map<object, Map<FieldSpec, readonly ValidationIssue[]>>;
}

/**
 * Turns a validated value into what its description says, adding to `errors` instead of throwing.
 */
export function decodeSpec(
  spec: FieldSpec,
  data: unknown,
  errors: ValidationIssue[],
  compile: CompileBranch,
): unknown {
  return decode(spec, data, { path: [], keywords: [], errors, compile, failed: new Map() });
}

function decode(spec: FieldSpec, value: unknown, decoding: Decoding): unknown {
  if (value === null || value === undefined) {
    return value;
  }
  const { shape } = spec;
  switch (shape.kind) {
    case "json":
      return value;
    case "text":
      return decodeText(shape.codec, value, decoding);
    case "class":
      return decodeClass(shape.resolve(), value, decoding);
    case "array":
      if (!Array.isArray(value)) {
        return value;
      }
      return value.map((item, i) =>
        below("items", String(i), decoding, () => decode(shape.items, item, decoding)),
      );
    case "map":
      if (typeof value !== "object") {
        return value;
      }
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          below("additionalProperties", name, decoding, () => decode(shape.values, member, decoding)),
        ]),
      );
    case "standard":
      return decodeStandard(shape.source, value, decoding);
    case "union":
      break;
  }
  return decodeUnion(shape.branches, value, decoding);
}

/**
 * By the first branch whose schema accepts the value and whose texts, which the schema does not
 * check, do too.
 */
function decodeUnion(branches: readonly FieldSpec[], value: unknown, decoding: Decoding): unknown {
  const failed = failuresOf(value, decoding);
  let first: readonly ValidationIssue[] | undefined;
  for (const branch of branches) {
    const known = failed.get(branch);
    first ??= known;
    if (known !== undefined || !accepts(branch, value, decoding.compile)) {
      continue;
    }
    const errors: ValidationIssue[] = [];
    const decoded = decode(branch, value, { ...decoding, errors });
    if (errors.length === 0) {
      return decoded;
    }
    failed.set(branch, errors);
    first ??= errors;
  }
  decoding.errors.push(...(first ?? []));
  return value;
}

function failuresOf(value: unknown, { failed }: Decoding): Map<FieldSpec, readonly ValidationIssue[]> {
  // Texts may be equal in several places, and nothing is inside them.
  if (typeof value !== "object" || value === null) {
    return new Map();
  }
  let failures = failed.get(value);
  if (failures === undefined) {
    failed.set(value, (failures = new Map()));
  }
  return failures;
}

function decodeClass(target: Class, data: unknown, decoding: Decoding): unknown {
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    return data;
  }
  const source = data as Readonly<Record<string, unknown>>;
  const instance = instantiate(target);
  const fields = fieldsOf(target);
  for (const { key, name, spec } of fields) {
    if (!has(source, name)) {
      continue;
    }
    instance[key] = below(`properties/${escapeToken(name)}`, name, decoding, () =>
      decode(spec, source[name], decoding),
    );
  }
  if (classSpecOf(target)?.additionalProperties === true) {
    const known = new Set(fields.flatMap(({ key, name }) => [key, name]));
    for (const [name, value] of Object.entries(source)) {
      // A property must not hide a field or a method of the class, nor replace the prototype.
      if (!known.has(name) && !(name in instance)) {
        instance[name] = value;
      }
    }
  }
  return instance;
}

/** An instance without the arguments that its constructor may need. */
function instantiate(target: Class): Record<string, unknown> {
  return (
    target.length === 0
      ? new (target as new () => object)()
      : Object.create(target.prototype as object | null)
  ) as Record<string, unknown>;
}

function decodeText(codec: Codec, value: unknown, decoding: Decoding): unknown {
  const decoded = typeof value === "string" ? codec.decode(value) : undefined;
  if (decoded === undefined) {
    const received = typeof value === "string" ? value.slice(0, 64) : typeof value;
    report(decoding, "format", `must be ${codec.expected}`, { expected: codec.expected, received });
  }
  return decoded;
}

function decodeStandard(source: object, value: unknown, decoding: Decoding): unknown {
  const { validate } = (source as StandardSchema)["~standard"];
  if (validate === undefined) {
    return value;
  }
  const result = validate(value);
  if (result instanceof Promise) {
    throw invalid("a field cannot have a schema with asynchronous checks: use the schema as the whole input");
  }
  if (result.issues === undefined) {
    return result.value;
  }
  for (const issue of result.issues) {
    const params = { expected: "a value its own schema accepts", received: typeof value };
    report(decoding, "standard", issue.message, params, locationOf(issue));
  }
  return undefined;
}

function report(
  { path, keywords, errors }: Decoding,
  keyword: string,
  message: string,
  params: ValidationIssue["params"],
  below = "",
): void {
  const instanceLocation = path.map((segment) => `/${segment}`).join("") + below;
  const keywordLocation = [...keywords, keyword].map((segment) => `/${segment}`).join("");
  errors.push({
    instanceLocation,
    keywordLocation,
    absoluteKeywordLocation: `#${keywordLocation}`,
    keyword,
    params,
    message,
  });
}

function below<R>(keyword: string, name: string, decoding: Decoding, work: () => R): R | undefined {
  const { path, keywords } = decoding;
  if (path.length >= maxDepth) {
    report(decoding, "limit", `is nested deeper than ${maxDepth} levels`, {
      expected: maxDepth,
      received: maxDepth + 1,
    });
    return undefined;
  }
  path.push(escapeToken(name));
  keywords.push(keyword);
  const result = work();
  path.pop();
  keywords.pop();
  return result;
}

const branches = new WeakMap<FieldSpec, ReturnType<CompileBranch>>();

function accepts(branch: FieldSpec, value: unknown, compile: CompileBranch): boolean {
  let validator = branches.get(branch);
  if (validator === undefined) {
    branches.set(branch, (validator = compile(schemaOfSpec(branch))));
  }
  return validator.is(value);
}
