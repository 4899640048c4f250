import type { FetchLike } from "@tenon/http/client";

import { chooseSchemes } from "../credentials/apply.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Pointers } from "../document/pointer.ts";
import type { Members } from "../document/values.ts";
import type { Operation } from "../operation/operation.ts";
import type { OpenApiOptions, OperationInfo } from "../options.ts";
import { checkOf } from "../schema/check.ts";
import type { Definitions } from "../schema/definitions.ts";
import { inputSchema, planInput } from "../schema/input.ts";
import { acceptLong } from "../schema/long-arguments.ts";
import { lenient, mayBeEmpty, outputSchema } from "../schema/output.ts";
import { acceptanceOf } from "../schema/typed-text.ts";
import { serverUrl, type BaseUrl } from "./base-url.ts";
import type { Prepared, SourceSetting } from "./prepared.ts";

/** Options of {@link prepare}. */
export interface Preparing {
  readonly options: OpenApiOptions;
  readonly setting: SourceSetting;
  readonly pointers: Pointers;
  readonly definitions: Definitions;
  readonly base: BaseUrl;
  readonly documentUrl: URL | undefined;
  readonly schemes: ReadonlyMap<string, Members>;
  readonly credentials: Credentials;
  /** Returns the `fetch` for an API. */
  fetchFor(base: BaseUrl): FetchLike;
}

/** Makes an operation ready for calls. Returns the reason if it cannot be called. */
export function prepare(operation: Operation, info: OperationInfo, preparing: Preparing): Prepared | string {
  const { options, setting, definitions, schemes, credentials } = preparing;
  const { maxSchemaBytes } = setting.limits;
  const base = ownBase(operation, preparing);
  if (typeof base === "string") {
    return base;
  }
  const where = `${operation.method} ${operation.path}`;
  const warn = (message: string): void => {
    setting.onWarning(`${where}: ${message}`);
  };
  const plan = planInput(operation, preparing.pointers);
  const { schema } = inputSchema(operation, plan, definitions, maxSchemaBytes);
  const documented =
    options.outputSchemas === false ? undefined : outputSchema(operation, definitions, maxSchemaBytes);
  return {
    info,
    operation,
    plan,
    inputSchema: schema,
    checkInput: acceptLong(checkOf(schema, warn), plan),
    accepts: acceptanceOf(schema, warn),
    outputSchema:
      documented === undefined || (setting.isStrict && mayBeEmpty(operation))
        ? undefined
        : setting.isStrict
          ? documented
          : lenient(documented),
    checkOutput: documented === undefined ? undefined : checkOf(documented, warn),
    base: base.url.href.replace(/\/$/, ""),
    fetch: preparing.fetchFor(base),
    schemes: chooseSchemes(operation, schemes, credentials),
    paging: options.paging?.(info),
    setting,
  };
}

/** The server of an operation. Credentials are sent only to the API's origin and to `origins`. */
function ownBase({ servers }: Operation, { options, base, documentUrl }: Preparing): BaseUrl | string {
  if (servers === undefined || options.server !== undefined) {
    return base;
  }
  const own = serverUrl(servers[0], documentUrl, options.variables ?? {});
  if (typeof own === "string") {
    return own;
  }
  const { origin } = own.url;
  if (origin === base.url.origin) {
    return { ...own, isTrusted: base.isTrusted };
  }
  return options.origins?.includes(origin) === true
    ? { ...own, isTrusted: true }
    : `it has a server of its own, ${origin}, which the option origins does not name`;
}
