import { CodegenError } from "./error.ts";
import type { Deprecation, MethodFacts } from "./repository.ts";
import { constOf, isSchema, listOf, mapOf, refName, stringsOf } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/** What one revision says about one method or notification. */
export interface MethodRow {
  readonly method: string;
  readonly kind: "request" | "notification";
  readonly sentBy: "client" | "server" | "either";
  /** Name of the request's or notification's definition. */
  readonly definition: string;
  /** Name of the params' definition. */
  readonly params: string | undefined;
  /** Name of the final result's definition; none for notifications. */
  readonly result: string | undefined;
  /** Sent inside an `InputRequiredResult`, not as a JSON-RPC request. */
  readonly embedded: boolean;
  readonly requires: { readonly client?: string; readonly server?: string };
  readonly cacheable: boolean;
  readonly inputRequired: boolean;
  /** May be answered by a task (`CreateTaskResult`). */
  readonly task: boolean;
  readonly header: string | undefined;
  readonly filter: string | undefined;
  readonly change: "list" | "resource" | undefined;
  readonly invalidates: readonly string[] | undefined;
  readonly hook: string | undefined;
  readonly repeatable: boolean;
  readonly polled: boolean;
  readonly coalesceBy: readonly string[] | undefined;
  readonly stateBy: readonly string[] | undefined;
  readonly undoes: string | undefined;
  readonly deprecated: Deprecation | undefined;
}

/** The registries that a schema cannot replace. */
export interface MethodRegistries {
  readonly methods: { readonly [method: string]: MethodFacts };
  readonly deprecations: readonly Deprecation[];
}

/**
 * Derives the method table of a revision from its definitions (flattened, hoisted). Direction comes
 * from the unions `ClientRequest`, `ServerRequest`, `InputRequest`, `ClientNotification`,
 * `ServerNotification`; the result from `<Name>ResultResponse` where there is one and otherwise
 * from the name; the rest from the fields that mark a feature.
 *
 * @throws CodegenError `invalid_document` if two definitions have the same method
 */
export function methodTable(
  definitions: Definitions,
  revision: string,
  registries: MethodRegistries,
): MethodRow[] {
  const rows: MethodRow[] = [];
  const senders = {
    client: methodsOf(definitions, ["ClientRequest", "ClientNotification"]),
    server: methodsOf(definitions, ["ServerRequest", "ServerNotification"]),
    embedded: methodsOf(definitions, ["InputRequest"]),
  };
  for (const [name, schema] of Object.entries(definitions)) {
    const method = constOf(schema, "method");
    if (
      method === undefined ||
      !/(?:Request|Notification)$/.test(name) ||
      /^(?:Client|Server)(?:Request|Notification)$/.test(name)
    ) {
      continue;
    }
    const [client, server, embedded] = [
      senders.client.has(method),
      senders.server.has(method),
      senders.embedded.has(method),
    ];
    if (!client && !server && !embedded) {
      continue;
    }
    const kind = name.endsWith("Request") ? "request" : "notification";
    const params = refName(mapOf(schema, "properties")["params"]);
    const paramFields = params === undefined ? {} : mapOf(definitions[params] ?? {}, "properties");
    const result = kind === "request" ? resultOf(name, definitions) : undefined;
    const resultRequired = result === undefined ? [] : stringsOf(definitions[result] ?? {}, "required");
    const facts = registries.methods[method];
    rows.push({
      method,
      kind,
      sentBy: client && server ? "either" : client ? "client" : "server",
      definition: name,
      params,
      result,
      embedded,
      requires: requirements(facts, definitions),
      cacheable: resultRequired.includes("ttlMs") && resultRequired.includes("cacheScope"),
      inputRequired: "inputResponses" in paramFields,
      task: "task" in paramFields || Object.hasOwn(taskUnion(definitions, params), "task"),
      header: facts?.header !== undefined && facts.header.since <= revision ? facts.header.param : undefined,
      filter:
        facts?.filter !== undefined && hasField(definitions["SubscriptionFilter"], facts.filter)
          ? facts.filter
          : undefined,
      change: facts?.change,
      invalidates: facts?.invalidates,
      hook: facts?.hook,
      repeatable: facts?.repeatable === true,
      polled: facts?.polled === true,
      coalesceBy: facts?.coalesceBy,
      stateBy: facts?.stateBy,
      undoes: facts?.undoes,
      deprecated: registries.deprecations.find((entry) => entry.methods.includes(method)),
    });
  }
  requireDistinct(rows);
  return rows.sort((a, b) => (a.method < b.method ? -1 : 1));
}

function requireDistinct(rows: readonly MethodRow[]): void {
  const definitions = new Map<string, string>();
  for (const { method, definition } of rows) {
    const other = definitions.get(method);
    if (other !== undefined) {
      const message = `${other} and ${definition} have the same method ${JSON.stringify(method)}`;
      throw new CodegenError("invalid_document", `${message}; expected one definition for each method`);
    }
    definitions.set(method, definition);
  }
}

function methodsOf(definitions: Definitions, unions: readonly string[]): Set<string> {
  const found = unions.flatMap((name) => {
    const union = definitions[name];
    if (union === undefined) {
      return [];
    }
    // A union of one member is written by upstream as that member itself.
    const members = listOf(union, "anyOf");
    return (members.length === 0 ? [union] : members).map((member) =>
      constOf(definitions[refName(member) ?? ""] ?? member, "method"),
    );
  });
  return new Set(found.filter((method) => method !== undefined));
}

function resultOf(request: string, definitions: Definitions): string {
  const stem = request.replace(/Request$/, "");
  const response = definitions[`${stem}ResultResponse`];
  const written = response === undefined ? undefined : mapOf(response, "properties")["result"];
  const named = isSchema(written) ? finalResult(written) : undefined;
  if (named !== undefined) {
    return named;
  }
  return `${stem}Result` in definitions ? `${stem}Result` : "EmptyResult";
}

function finalResult(written: Schema): string | undefined {
  const members = listOf(written, "anyOf").map(refName);
  return refName(written) ?? members.find((name) => name !== "InputRequiredResult");
}

function requirements(
  facts: MethodFacts | undefined,
  definitions: Definitions,
): { client?: string; server?: string } {
  const { client, server } = facts?.requires ?? {};
  return {
    ...(client !== undefined && hasPath(definitions["ClientCapabilities"], client.split("."))
      ? { client }
      : {}),
    ...(server !== undefined && hasPath(definitions["ServerCapabilities"], server.split("."))
      ? { server }
      : {}),
  };
}

function hasPath(schema: Schema | undefined, path: readonly string[]): boolean {
  const [step, ...rest] = path;
  return (
    step === undefined || (hasField(schema, step) && hasPath(mapOf(schema ?? {}, "properties")[step], rest))
  );
}

function hasField(schema: Schema | undefined, field: string): boolean {
  return schema !== undefined && field in mapOf(schema, "properties");
}

/** Fields of the members when the params are a union (`ElicitRequestParams`). */
function taskUnion(definitions: Definitions, params: string | undefined): { [field: string]: Schema } {
  const members = listOf(definitions[params ?? ""] ?? {}, "anyOf").map(
    (member) => definitions[refName(member) ?? ""] ?? {},
  );
  return Object.assign({}, ...members.map((member) => mapOf(member, "properties"))) as {
    [field: string]: Schema;
  };
}
