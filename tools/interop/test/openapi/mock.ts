import qs from "qs";

/** Names in a constant, because the libraries are installed in another folder. */
const libraries = { mock: "openapi-backend", converter: "swagger2openapi" } as const;

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
  withoutNeedlessExplode(definition);
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
    ajvOpts: { strict: false, validateFormats: false, coerceTypes: "array", allErrors: false },
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

/** The mock makes arrays of all parameters with `explode: false`, even of strings. */
function withoutNeedlessExplode(value: unknown): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  const { in: place, explode, schema } = value as { readonly [name: string]: unknown };
  if (
    place === "query" &&
    explode === false &&
    (schema as { readonly type?: unknown } | undefined)?.type !== "array"
  ) {
    delete (value as Record<string, unknown>)["explode"];
  }
  Object.values(value).forEach(withoutNeedlessExplode);
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
