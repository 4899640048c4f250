import qs from "qs";

/** Names in a constant, because the libraries are installed in another folder. */
const libraries = {
  mock: "openapi-backend",
  converter: "swagger2openapi",
} as const;

/** A mock of a document, which knows nothing of the converter. */
export interface Mock {
  /** What is wrong with a request; an empty list if nothing is. */
  problems(url: URL, init: RequestInit): Promise<readonly string[]>;
}

interface Router {
  matchOperation(request: object): Operation | undefined;
}

interface Validator {
  validateRequest(request: object): {
    readonly errors?:
      | readonly { readonly instancePath: string; readonly message: string; readonly params: object }[]
      | null;
  };
}

interface Ajv {
  addSchema(schema: object, key: string, isMeta: boolean, isValidated: boolean): Ajv;
}

interface Backend {
  readonly OpenAPIRouter: new (options: object) => Router;
  readonly OpenAPIValidator: new (options: {
    readonly customizeAjv: (ajv: Ajv, options: object, context: string) => Ajv;
    readonly [name: string]: unknown;
  }) => Validator;
}

/** The URI of the document in references. */
const root = "document:/";

/**
 * Makes a mock by `openapi-backend`. It knows no Swagger 2.0: `swagger2openapi` converts that.
 *
 * @param require - Finds the two.
 */
export async function createMock(document: Record<string, unknown>, require: NodeJS.Require): Promise<Mock> {
  const definition = structuredClone(
    document["swagger"] === undefined ? document : await converted(document, require),
  );
  if (!/^3\.[1-9]/.test(String(document["openapi"]))) {
    removeSiblings(definition);
  }
  const follow = followerOf(definition);
  for (const [path, value] of Object.entries(definition["paths"] as Record<string, unknown>)) {
    const item = follow(value) as Operation;
    for (const [method, operation] of Object.entries(item)) {
      if (isObject(operation) && "responses" in operation) {
        Object.assign(operation, {
          operationId: `${method} ${path}`,
          security: [],
          parameters: parametersOf(item, operation, follow),
          ...("requestBody" in operation ? { requestBody: follow(operation["requestBody"]) } : {}),
        });
      }
    }
    (definition["paths"] as Record<string, unknown>)[path] = { ...item, parameters: [] };
  }
  repair(definition);
  const { OpenAPIRouter, OpenAPIValidator } = require(libraries.mock) as Backend;
  const router = new OpenAPIRouter({ definition, ignoreTrailingSlashes: false });
  /** Texts of forms become values of other types. In JSON nothing does. */
  function validatorOf(coerceTypes: "array" | false): Validator {
    const known = new Map<string, Ajv>();
    return new OpenAPIValidator({
      definition,
      router,
      coerceTypes: true,
      ajvOpts: {
        strict: false,
        validateSchema: false,
        unicodeRegExp: false,
        validateFormats: false,
        coerceTypes,
        allErrors: false,
      },
      lazyCompileValidators: true,
      // The mock makes an instance for each operation, and replaces references by objects, but not
      // all of them. With the document in one instance, all references lead somewhere.
      customizeAjv: (ajv, _, context) => {
        const own = known.get(context) ?? ajv.addSchema(definition, root, false, false);
        known.set(context, own);
        return own;
      },
    });
  }
  const ofJson = validatorOf(false);
  const ofForms = validatorOf("array");
  return {
    async problems(url, init) {
      const headers = Object.fromEntries(new Headers(init.headers));
      const type = headers["content-type"] ?? "";
      const request = {
        method: String(init.method).toLowerCase(),
        path: url.pathname,
        query: url.search.slice(1),
        headers,
        body: await bodyOf(type, init),
      };
      const validator = type.includes("json") ? ofJson : ofForms;
      try {
        const operation = router.matchOperation(request);
        if (operation === undefined) {
          return ["the mock knows no operation of this path and method"];
        }
        if (type.includes("form") && isObject(request.body)) {
          request.body = withArrays(request.body, formOf(operation, type, follow));
        }
        const { errors } = validator.validateRequest(request);
        return (errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
      } catch (error) {
        return [`the mock fails: ${String(error)}`];
      }
    },
  };
}

/** A path item or an operation, without references. */
interface Operation {
  parameters?: readonly Parameter[];
  requestBody?: { readonly content?: Record<string, { schema?: unknown }> };
  [key: string]: unknown;
}

interface Parameter {
  readonly in?: unknown;
  readonly name?: unknown;
  readonly [key: string]: unknown;
}

/** The mock lets the parameters of a path replace those of the operation. */
function parametersOf(
  item: Operation,
  operation: Operation,
  follow: (value: unknown) => unknown,
): readonly Parameter[] {
  const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => {
    const parameter = follow(one) as Parameter;
    return structuredClone({ ...parameter, schema: follow(parameter["schema"]) });
  });
  return [...new Map(all.map((one) => [`${String(one.in)} ${String(one.name)}`, one])).values()].filter(
    (one) => one.in !== "header" || !isIgnoredHeader.test(String(one.name)),
  );
}

/** Replaces a reference by its target. */
function followerOf(document: object): (value: unknown) => unknown {
  return (value) => {
    let found = value;
    for (let step = 0; step < 20 && isObject(found) && typeof found["$ref"] === "string"; step++) {
      found = found["$ref"]
        .slice(found["$ref"].indexOf("#") + 2)
        .split("/")
        .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
    }
    return found;
  };
}

/** References of OpenAPI 3.0 have no siblings; the validator applies them. */
function removeSiblings(value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach(removeSiblings);
  }
  if (!isObject(value)) {
    return;
  }
  const own = value;
  if (typeof own["$ref"] === "string") {
    for (const name of Object.keys(own)) {
      if (name !== "$ref") {
        delete own[name];
      }
    }
    return;
  }
  Object.values(own).forEach(removeSiblings);
}

/**
 * Changes what the mock does not read as the specification means it, and nothing that it checks:
 *
 * - It makes arrays of all parameters with `explode: false`, even of strings.
 * - It refuses whole documents for examples, for references in them, and for a `nullable` without a
 *   type.
 * - It drops the brackets at the end of names in queries.
 * - It reads no form that a document describes as a text.
 */
function repair(value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach(repair);
  }
  if (!isObject(value)) {
    return;
  }
  const { in: place, explode, name, schema, nullable, $ref: reference } = value;
  if (typeof reference === "string" && reference.startsWith("#")) {
    value["$ref"] = root + reference;
  }
  if (place === "query" && explode === false && typeOf(schema) !== "array") {
    delete value["explode"];
  }
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
    const media = value[type];
    if (isObject(media) && typeOf(media["schema"]) === "string") {
      value[type] = { ...media, schema: {} };
    }
  }
  for (const [exclusive, bound] of exclusiveBounds) {
    if (typeof value[exclusive] === "boolean") {
      value[exclusive] = value[exclusive] ? value[bound] : undefined;
    }
  }
  if (place === "query" && typeof name === "string" && name.endsWith("[]")) {
    value["name"] = name.slice(0, -2);
  }
  if (typeof nullable === "boolean" && typeof value["type"] !== "string") {
    delete value["nullable"];
  }
  for (const [key, inner] of Object.entries(value)) {
    if ((key === "example" || key === "examples") && typeof inner !== "boolean" && !isSchema(inner)) {
      delete value[key];
    } else {
      repair(inner);
    }
  }
}

/** In OpenAPI 3.0 they are flags, which the validator does not know. */
const exclusiveBounds = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** Not parameters by the specification, or, as `content-length`, of HTTP itself. */
const isIgnoredHeader = /^(?:accept|authorization|content-type|content-length)$/i;

/** Whether it is the schema of a property that has the name `example`. */
function isSchema(value: unknown): boolean {
  return isObject(value) && ("type" in value || "$ref" in value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(schema: unknown): unknown {
  return (schema as { readonly type?: unknown } | undefined)?.type;
}

async function converted(
  document: Record<string, unknown>,
  require: NodeJS.Require,
): Promise<Record<string, unknown>> {
  const { convertObj } = require(libraries.converter) as {
    convertObj(document: object, options: object): Promise<{ readonly openapi: Record<string, unknown> }>;
  };
  return (await convertObj(structuredClone(document), { patch: true, warnOnly: true })).openapi;
}

/** The schema of a form. */
function formOf(operation: Operation, type: string, follow: (value: unknown) => unknown): unknown {
  const media = operation.requestBody?.content?.[type.split(";")[0] ?? ""];
  return follow(media?.schema);
}

/** In a form, an array of one item is that item. */
function withArrays(fields: Record<string, unknown>, schema: unknown): Record<string, unknown> {
  const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeOf(properties[name]) === "array" && !Array.isArray(value) ? [value] : value,
    ]),
  );
}

/** Objects in forms are JSON. */
function withObjects(fields: object): Record<string, unknown> {
  const parsed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(parsed)
      : typeof value === "string" && /^[{[]/.test(value)
        ? (JSON.parse(value) as unknown)
        : value;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, parsed(value)]));
}

/** The body as a server's middleware parses it. */
async function bodyOf(type: string, { body }: RequestInit): Promise<unknown> {
  if (body === undefined || body === null) {
    return undefined;
  }
  const text = typeof body === "string" ? body : "";
  if (type.includes("json")) {
    // The mock parses texts once more.
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" ? parsed : text;
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return withObjects(qs.parse(text, { depth: 12, arrayLimit: 100, parameterLimit: 10_000 }));
  }
  if (type.startsWith("multipart/form-data")) {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    const fields: Record<string, unknown> = {};
    for (const [name, value] of form) {
      const own = typeof value === "string" ? value : "a file";
      const before = fields[name];
      fields[name] = before === undefined ? own : [before, own].flat();
    }
    return withObjects(fields);
  }
  return text;
}
