import { isRecord } from "@tenon/base";

import type { Pointers } from "../document/pointer.ts";
import { listOf, membersOf, textOf, type Members } from "../document/values.ts";
import type { Operation, Parameter, ResponseInfo } from "./operation.ts";
import { readBody, readSwaggerBody, swaggerContent } from "./read-body.ts";
import { readParameter } from "./read-parameter.ts";

/** An operation that has no tool, and why. */
export interface Skipped {
  /** `*` if the whole path cannot be read. */
  readonly method: string;
  readonly path: string;
  readonly reason: string;
}

/** The operations of a document, in its order. */
export interface Collected {
  readonly operations: readonly Operation[];
  readonly skipped: readonly Skipped[];
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
/** Methods that a client of HTTP does not send. */
const unsendable = /^(?:TRACE|CONNECT|TRACK)$/;
const methodToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;

/**
 * Reads the operations of a document. An operation that cannot be called is left out with the
 * reason, so that one mistake in a document does not hide the others.
 */
export function collectOperations(document: Members, pointers: Pointers): Collected {
  const isSwagger = document["swagger"] !== undefined;
  const operations: Operation[] = [];
  const skipped: Skipped[] = [];
  for (const [path, value] of Object.entries(membersOf(document["paths"]))) {
    if (path.startsWith("x-")) {
      continue;
    }
    const followed = pointers.follow(value);
    if (followed === undefined) {
      skipped.push({ method: "*", path, reason: nowhere });
    }
    const item = { ...membersOf(followed), ...withoutReference(value) };
    const additional = Object.entries(membersOf(item["additionalOperations"]));
    const defined = methods.map((method) => [method, item[method]] as const);
    for (const [name, definition] of [...defined, ...additional]) {
      if (definition === undefined) {
        continue;
      }
      const method = methods.includes(name) ? name.toUpperCase() : name;
      // No version of OpenAPI has such references, but some documents of several files do.
      const followed = pointers.follow(definition);
      const read = isRecord(followed)
        ? readOperation({ method, path, item, definition: followed, document, pointers, isSwagger })
        : followed === undefined
          ? nowhere
          : "the operation is not an object";
      if (typeof read === "string") {
        skipped.push({ method, path, reason: read });
      } else {
        operations.push(read);
      }
    }
  }
  return { operations, skipped };
}

const nowhere = "its reference leads nowhere";

function withoutReference(value: unknown): Members {
  const { $ref: _, ...rest } = membersOf(value);
  return rest;
}

interface Found {
  readonly method: string;
  readonly path: string;
  readonly item: Members;
  readonly definition: Members;
  readonly document: Members;
  readonly pointers: Pointers;
  readonly isSwagger: boolean;
}

function readOperation(found: Found): Operation | string {
  const { method, path, item, definition, document, pointers, isSwagger } = found;
  if (unsendable.test(method) || !methodToken.test(method)) {
    return `clients do not send ${JSON.stringify(method.slice(0, 40))} requests`;
  }
  if (!path.startsWith("/")) {
    return "the path does not start with a slash";
  }
  const given = [...listOf(item["parameters"]), ...listOf(definition["parameters"])].map((one) =>
    pointers.follow(one),
  );
  const inBody = (one: unknown): boolean =>
    isSwagger && isRecord(one) && (one["in"] === "body" || one["in"] === "formData");
  const parameters = new Map<string, Parameter>();
  for (const one of given.filter((value) => !inBody(value))) {
    const parameter = readParameter(one, isSwagger);
    if (typeof parameter === "string") {
      return parameter;
    }
    if (parameter !== undefined) {
      const { place, name } = parameter;
      // A parameter of the operation replaces one of the path.
      parameters.set(JSON.stringify([place, place === "header" ? name.toLowerCase() : name]), parameter);
    }
  }
  const templated = fixedQuery(path, parameters.values()).find((pair) => /\{[^{}]+\}/.test(pair));
  if (templated !== undefined) {
    return `the query of its path has the template ${JSON.stringify(templated.slice(0, 100))}, which no parameter "in: query" describes`;
  }
  const list = withPathParameters(path, [...parameters.values()]);
  const described = isSwagger
    ? readSwaggerBody(
        latest(given.filter(inBody) as Members[]),
        listOf(definition["consumes"] ?? document["consumes"]),
        pointers,
      )
    : definition["requestBody"] === undefined
      ? undefined
      : readBody(pointers.follow(definition["requestBody"]), pointers);
  if (typeof described === "string") {
    return described;
  }
  const isBodiless = method === "GET" || method === "HEAD";
  if (isBodiless && described?.isRequired === true) {
    return `clients send no body with ${method} requests`;
  }
  const servers = definition["servers"] ?? item["servers"];
  return {
    id: textOf(definition["operationId"]),
    method,
    path,
    fixedQuery: fixedQuery(path, list).join("&"),
    summary: textOf(definition["summary"]) ?? textOf(item["summary"]),
    description: textOf(definition["description"]) ?? textOf(item["description"]),
    tags: listOf(definition["tags"]).filter((tag) => typeof tag === "string"),
    isDeprecated: definition["deprecated"] === true,
    parameters: list,
    body: isBodiless ? undefined : described,
    responses: readResponses(found),
    servers: Array.isArray(servers) && servers.length > 0 ? (servers as unknown[]) : undefined,
    security: listOf(definition["security"] ?? document["security"]).filter(isRecord),
  };
}

/** Of the form fields with one name, the last. */
function latest(parameters: readonly Members[]): readonly Members[] {
  return [...new Map(parameters.map((one) => [`${String(one["in"])} ${String(one["name"])}`, one])).values()];
}

/**
 * The pairs of the query in a path, by which some documents distinguish operations. A template such
 * as `b={b}` is left out if a parameter of the query has its name: that parameter is sent.
 */
function fixedQuery(path: string, parameters: Iterable<Parameter>): readonly string[] {
  const [, query = ""] = (path.split("#")[0] ?? "").split("?");
  const named = new Set([...parameters].flatMap(({ place, name }) => (place === "query" ? [name] : [])));
  return query.split("&").filter((pair) => {
    const [, name] = /^([^=]*)=\{[^{}]+\}$/.exec(pair) ?? [];
    return pair !== "" && (name === undefined || !named.has(name));
  });
}

/** Adds parameters that exist only in the path, and drops path parameters that are not in it. */
function withPathParameters(path: string, parameters: readonly Parameter[]): readonly Parameter[] {
  const names = new Set(
    [...(path.split(/[?#]/)[0] ?? "").matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name),
  );
  const described = new Set(parameters.flatMap(({ place, name }) => (place === "path" ? [name] : [])));
  const missing = [...names].filter((name) => !described.has(name));
  return [
    ...parameters.filter(({ place, name }) => place !== "path" || names.has(name)),
    ...missing.map((name): Parameter => ({
      name,
      place: "path",
      style: "simple",
      explode: false,
      allowReserved: false,
      isRequired: true,
      allowEmpty: false,
      mediaType: undefined,
      schema: { type: "string" },
      description: undefined,
      isDeprecated: false,
      examples: [],
    })),
  ];
}

function readResponses({ definition, document, pointers, isSwagger }: Found): readonly ResponseInfo[] {
  const produces = listOf(definition["produces"] ?? document["produces"]);
  return Object.entries(membersOf(definition["responses"])).flatMap(([status, value]) => {
    const response = pointers.follow(value);
    if (!isRecord(response) || status.startsWith("x-")) {
      return [];
    }
    const content = isSwagger
      ? swaggerContent(response, produces, pointers)
      : new Map(
          Object.entries(membersOf(response["content"])).map(([type, media]) => [
            type,
            membersOf(media)["schema"],
          ]),
        );
    return [{ status, description: textOf(response["description"]), content }];
  });
}
