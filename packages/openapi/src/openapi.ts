import { checkOptionNames, isRecord, kindOf, readLimits, reportError } from "@tenon/base";
import { environmentFetch, type FetchLike } from "@tenon/http/client";
import { defineServerExtension, type ServerExtension } from "@tenon/mcp";

import { securitySchemes } from "./credentials/apply.ts";
import { loadDocument, type DocumentSource } from "./document/load.ts";
import { pointersOf } from "./document/pointer.ts";
import { membersOf, textOf, type Members } from "./document/values.ts";
import { OpenApiError } from "./error.ts";
import { openApiLimits } from "./limits.ts";
import { collectOperations, type Skipped } from "./operation/collect.ts";
import { nameOperations, plain, shortHash } from "./operation/name.ts";
import type { Offer, OpenApiOptions, OperationInfo } from "./options.ts";
import { composedIn } from "./schema/composed.ts";
import { definitionsOf } from "./schema/definitions.ts";
import { baseUrlOf, type BaseUrl } from "./source/base-url.ts";
import { prepare } from "./source/prepare.ts";
import type { Prepared, SourceSetting } from "./source/prepared.ts";
import { addTool } from "./source/register.ts";
import { addResource } from "./source/resource.ts";
import { createRunning } from "./source/running.ts";

/** An operation that is offered. */
export interface OfferedOperation {
  readonly as: "tool" | "resource";
  /** The name of the tool or the resource. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** An API as a part of a server: pass it to `server.use`. */
export interface OpenApiSource extends ServerExtension {
  /** The title of the API. */
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  /** The URL to which requests go, without a slash at its end. */
  readonly server: string;
  readonly operations: readonly OfferedOperation[];
  /** The operations that are left out because they cannot be called, with the reasons. */
  readonly skipped: readonly Skipped[];
}

/** An operation that is offered, ready for calls. */
interface Offered extends OfferedOperation {
  readonly prepared: Prepared;
  readonly offer: Offer;
}

/**
 * Reads a document of OpenAPI 3.0, 3.1 or 3.2, or of Swagger 2.0, and makes its operations tools
 * and resources of a server. Arguments are validated against the document, requests are written as
 * OpenAPI defines it, and responses become results. The base URL is fixed: no argument and
 * no redirect leads to another origin.
 *
 * An operation that cannot be called is left out, and reported.
 *
 * @example
 * const petstore = await openapi("./petstore.yaml", { server: "https://petstore.example.com/v1" });
 * server.use(petstore);
 *
 * @param source - The document as an object, its text, its URL, or its path.
 * @throws {@link OpenApiError} for a document that cannot be used, `TypeError` for options that are
 *   not valid.
 */
export async function openapi(source: DocumentSource, options: OpenApiOptions = {}): Promise<OpenApiSource> {
  checkOptions(options);
  const limits = readLimits(options.limits, openApiLimits);
  const { onWarning: warn } = options;
  const onWarning = (message: string): void => {
    if (warn !== undefined) {
      reportError({ onError: () => warn(message) }, message);
    }
  };
  const { references = "beside", fetch } = options;
  const { document, url: documentUrl } = await loadDocument(source, { references, fetch, limits });
  checkVersion(document);
  const pointers = pointersOf(document);
  const base = baseUrlOf(document, documentUrl, options);
  const collected = collectOperations(document, pointers);
  const names = await nameOperations(collected.operations, options.prefix ?? "");
  const setting: SourceSetting = {
    limits,
    headers: options.headers,
    isStrict: options.strictness === "strict",
    running: createRunning(limits.maxInFlight),
    onWarning,
  };
  const guarded = guardedFetch();
  const preparing = {
    options,
    setting,
    pointers,
    definitions: definitionsOf({
      pointers,
      isComposed: composedIn(document, pointers),
      keepsSiblings: /^3\.[12]/.test(String(document["openapi"])),
      maxBytes: limits.maxSchemaBytes,
      onWarning,
    }),
    base,
    documentUrl,
    schemes: securitySchemes(document, pointers),
    credentials: options.credentials ?? {},
    fetchFor: ({ isTrusted }: BaseUrl) => fetch ?? (isTrusted ? environmentFetch : guarded),
  };
  checkCredentialNames(preparing.credentials, preparing.schemes);
  const skipped: Skipped[] = [...collected.skipped];
  const chosen = collected.operations.flatMap((operation) => {
    const { id, method, path, tags, summary, isDeprecated } = operation;
    const info: OperationInfo = {
      id,
      name: names.get(operation) ?? "",
      method,
      path,
      tags,
      summary,
      isDeprecated,
    };
    const offer = readOffer(options.offer?.(info) ?? "tool", info);
    return offer === undefined ? [] : [{ operation, info, offer }];
  });
  if (chosen.length > limits.maxOperations) {
    throw new OpenApiError(
      "LIMIT",
      `Expected at most ${limits.maxOperations} operations; got ${chosen.length}. Choose some by the option offer, or raise limits.maxOperations.`,
    );
  }
  const offered = chosen.flatMap(({ operation, info, offer }): Offered[] => {
    const { method, path } = info;
    const prepared = prepare(operation, info, preparing);
    const { as = "tool", name = info.name } = offer;
    const reason =
      typeof prepared === "string"
        ? prepared
        : as === "resource" && !isReadable(prepared)
          ? "only a GET without a body, and with parameters in path and query only, can be a resource"
          : undefined;
    if (reason !== undefined || typeof prepared === "string") {
      skipped.push({ method, path, reason: reason ?? "" });
      return [];
    }
    return [{ as, name, method, path, prepared, offer }];
  });
  skipped.forEach(({ method, path, reason }) => {
    onWarning(`${method} ${path} is left out: ${reason}.`);
  });
  const { title, version } = membersOf(document["info"]);
  const name = plain(textOf(title) ?? "api").slice(0, 64);
  const server = base.url.href.replace(/\/$/, "");
  const id = `tenon/openapi.${await shortHash(JSON.stringify([name, server, options.prefix]))}`;
  const authority =
    (options.prefix ?? name)
      .replace(/[^A-Za-z0-9-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .toLowerCase() || "api";
  return {
    ...asExtension(id, offered, authority),
    title: textOf(title) ?? "",
    version: textOf(version) ?? "",
    server,
    operations: offered.map(({ as, name: own, method, path }) => ({ as, name: own, method, path })),
    skipped,
  };
}

/** Not an extension of the protocol: nothing of it is declared to clients. */
function asExtension(id: string, offered: readonly Offered[], authority: string): ServerExtension {
  return defineServerExtension({
    id,
    eras: [],
    setup: (server) => {
      for (const { as, name, offer, prepared } of offered) {
        if (as === "resource") {
          addResource(server, prepared, name, offer, authority);
        } else {
          addTool(server, prepared, name, offer);
        }
      }
    },
  });
}

function isReadable({ operation: { method, body, parameters } }: Prepared): boolean {
  return (
    method === "GET" &&
    body === undefined &&
    parameters.every(({ place }) => place === "path" || place === "query")
  );
}

function readOffer(value: unknown, { method, path }: OperationInfo): Offer | undefined {
  if (value === false) {
    return undefined;
  }
  if (value === "tool" || value === "resource") {
    return { as: value };
  }
  if (
    !isRecord(value) ||
    (value["as"] !== undefined && value["as"] !== "tool" && value["as"] !== "resource")
  ) {
    throw new TypeError(
      `Option offer must return "tool", "resource", false or an object for ${method} ${path}; got ${kindOf(value)}.`,
    );
  }
  return value;
}

/** A `fetch` for URLs that only a document names. It is loaded when it is first needed. */
function guardedFetch(): FetchLike {
  let loading: Promise<FetchLike> | undefined;
  return async (input, init) => {
    loading ??= import("@tenon/auth/node").then(({ publicFetch }) => publicFetch());
    return (await loading)(input, init);
  };
}

function checkVersion(document: Members): void {
  const { swagger, openapi: version } = document;
  const isKnown =
    version === undefined
      ? swagger === "2.0"
      : typeof version === "string" && /^3\.[012]\./.test(`${version}.`);
  if (!isKnown) {
    const got = JSON.stringify(version ?? swagger)?.slice(0, 40) ?? "neither openapi nor swagger";
    throw new OpenApiError(
      "DOCUMENT_INVALID",
      `The document must be of OpenAPI 3.0, 3.1 or 3.2, or of Swagger 2.0; got ${got}.`,
    );
  }
}

function checkCredentialNames(credentials: object, schemes: ReadonlyMap<string, unknown>): void {
  for (const name of Object.keys(credentials)) {
    if (!schemes.has(name)) {
      const known = [...schemes.keys()].join(", ").slice(0, 500);
      throw new TypeError(
        `credentials names the security scheme ${JSON.stringify(name)}, which is not in the document. Known: ${known === "" ? "none" : known}.`,
      );
    }
  }
}

function checkOptions(options: OpenApiOptions): void {
  checkOptionNames(
    "openapi",
    options,
    "server variables origins prefix offer:function credentials headers strictness outputSchemas paging:function references fetch:function limits onWarning:function",
    openApiLimits,
  );
  const { strictness, prefix } = options;
  if (strictness !== undefined && strictness !== "strict" && strictness !== "lenient") {
    throw new TypeError('Option strictness must be "strict" or "lenient".');
  }
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{0,32}$/.test(prefix)) {
    throw new TypeError('Option prefix must have at most 32 letters, digits, "_" or "-".');
  }
}
