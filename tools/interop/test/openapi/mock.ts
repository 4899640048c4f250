import qs from "qs";

/** Names in a constant, because the libraries are installed in another folder. */
const libraries = {
  mock: "openapi-backend",
  converter: "swagger2openapi",
  references: "@apidevtools/json-schema-ref-parser",
} as const;

/** A mock of a document, which knows nothing of the converter. */
export interface Mock {
  /** What is wrong with a request; an empty list if nothing is. */
  problems(url: URL, init: RequestInit): Promise<readonly string[]>;
}

interface Validator {
  init(): Promise<unknown>;
  readonly router: { matchOperation(request: object): { readonly operationId?: string } | undefined };
  validateRequest(request: object): {
    readonly errors?:
      | readonly { readonly instancePath: string; readonly message: string; readonly params: object }[]
      | null;
  };
}

/**
 * Makes a mock by `openapi-backend`. It knows no Swagger 2.0: `swagger2openapi` converts that.
 *
 * @param require - Finds the two.
 */
export async function createMock(document: Record<string, unknown>, require: NodeJS.Require): Promise<Mock> {
  const definition = structuredClone(
    document["swagger"] === undefined ? document : await converted(document, require),
  );
  const { $RefParser } = require(libraries.references) as {
    readonly $RefParser: { dereference(document: object, options: object): Promise<unknown> };
  };
  // The mock resolves references by itself, but fails for some that are right.
  await $RefParser.dereference(definition, { dereference: { circular: "ignore" }, mutateInputSchema: true });
  repair(definition, new Set());
  definition["servers"] = [{ url: "http://mock.example" }];
  for (const [path, item] of Object.entries(definition["paths"] as Record<string, Record<string, unknown>>)) {
    for (const [method, operation] of Object.entries(item)) {
      if (typeof operation === "object" && operation !== null && "responses" in operation) {
        Object.assign(operation, { operationId: `${method} ${path}`, security: [] });
      }
    }
  }
  const { OpenAPIBackend } = require(libraries.mock) as {
    readonly OpenAPIBackend: new (options: object) => Validator;
  };
  const api = new OpenAPIBackend({
    definition,
    quick: true,
    strict: false,
    validate: true,
    coerceTypes: true,
    ajvOpts: {
      strict: false,
      unicodeRegExp: false,
      validateFormats: false,
      coerceTypes: "array",
      allErrors: false,
    },
    lazyCompileValidators: true,
  });
  await api.init();
  const validator = (api as unknown as { readonly validator: Validator }).validator;
  return {
    async problems(url, init) {
      const headers = Object.fromEntries(new Headers(init.headers));
      const request = {
        method: String(init.method).toLowerCase(),
        path: url.pathname,
        query: url.search.slice(1),
        headers,
        body: await bodyOf(headers["content-type"] ?? "", init),
      };
      try {
        if (api.router.matchOperation(request) === undefined) {
          return ["the mock knows no operation of this path and method"];
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

/**
 * Changes what the mock does not read as the specification means it, and nothing that it checks:
 *
 * - It makes arrays of all parameters with `explode: false`, even of strings.
 * - It refuses whole documents for examples, for references in them, and for a `nullable` without a
 *   type.
 * - It drops the brackets at the end of names in queries.
 * - It checks `accept`, `authorization` and `content-type`, which a document cannot describe as
 *   parameters, and `content-length`, which belongs to HTTP.
 */
function repair(value: unknown, known: Set<object>): void {
  if (typeof value !== "object" || value === null || known.has(value)) {
    return;
  }
  known.add(value);
  const own = value as Record<string, unknown>;
  const { in: place, explode, name, schema, parameters, properties, nullable } = own;
  if (place === "query" && explode === false && typeOf(schema) !== "array") {
    delete own["explode"];
  }
  if (place === "query" && typeof name === "string" && name.endsWith("[]")) {
    own["name"] = name.slice(0, -2);
  }
  if (nullable !== undefined && typeof own["type"] !== "string" && properties === undefined) {
    delete own["nullable"];
  }
  if (Array.isArray(parameters)) {
    own["parameters"] = parameters.filter(
      (each: { readonly in?: unknown; readonly name?: unknown } | null) =>
        each?.in !== "header" || !isIgnoredHeader.test(String(each.name)),
    );
  }
  for (const [key, inner] of Object.entries(own)) {
    if ((key === "example" || key === "examples") && typeof own[key] !== "boolean" && !isSchema(inner)) {
      delete own[key];
    } else {
      repair(inner, known);
    }
  }
}

const isIgnoredHeader = /^(?:accept|authorization|content-type|content-length)$/i;

/** Whether it is the schema of a property that has the name `example`. */
function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("type" in value || "$ref" in value);
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

/** Objects in forms are JSON. */
function withObjects(fields: object): object {
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
