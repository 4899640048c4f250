import { anySignal, isThenable, reasonOf, timeLimit, unlessAborted } from "@tenon/base";
import { ToolError, isToolError, type RequestContext } from "@tenon/mcp";
import type { CallToolResult } from "@tenon/protocol";

import { lengthInBytes } from "../bytes/bytes.ts";
import { applyCredentials, missingHint, type AppliedCredentials } from "../credentials/apply.ts";
import { withoutSecretsIn } from "../redact.ts";
import { writeBody } from "../request/body.ts";
import { writeCookies, writeHeaders } from "../request/headers.ts";
import { discard, send, type Outgoing } from "../request/send.ts";
import { isPresent } from "../request/serialize.ts";
import { writePath, writeQuery, type Given } from "../request/url.ts";
import { nextPage } from "../response/next-page.ts";
import { errorOf, resultOf } from "../response/result.ts";
import type { Prepared } from "./prepared.ts";

/** The name under which the arguments of the next page are in `_meta` of a result. */
export const nextArgumentsKey = "dev.tenon/nextArguments";

/**
 * Calls an operation: writes the request, sends it with the credentials of the caller, and makes a
 * result of the response.
 *
 * @throws `ToolError` for everything that a model should read; `signal.reason` if the client
 *   cancelled.
 */
export async function callOperation(
  prepared: Prepared,
  args: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Promise<CallToolResult> {
  const { setting } = prepared;
  const { limits, running } = setting;
  const end = running.begin(context);
  if (end === undefined) {
    throw new ToolError(
      `Too many calls of this API are in flight. The limit is ${limits.maxInFlight} calls (maxInFlight), half of which one client may use. Try again later.`,
    );
  }
  const timeout = timeLimit(limits.totalTimeoutMs);
  const signal = anySignal([context.signal, timeout.signal]);
  try {
    // A function of the program may never settle, and a fetch of its own may ignore the signal.
    return await unlessAborted(exchange(prepared, args, context, signal), signal);
  } catch (error) {
    context.signal.throwIfAborted();
    if (isToolError(error)) {
      throw error;
    }
    throw failure(prepared, error, timeout.signal.aborted);
  } finally {
    timeout.end();
    end();
  }
}

async function exchange(
  prepared: Prepared,
  args: Readonly<Record<string, unknown>>,
  context: RequestContext,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { operation, schemes, setting, fetch, checkOutput, outputSchema } = prepared;
  const { limits, isStrict } = setting;
  const where = whereOf(prepared);
  const written = write(prepared, args);
  const own = await computed(prepared, () => ownHeaders(prepared, context), signal);
  const target = { url: written.url, method: operation.method, context, signal };
  const operationKey = {};
  for (let attempt = 1; ; attempt++) {
    const applied = await computed(prepared, () => applyCredentials(schemes, target), signal);
    signal.throwIfAborted();
    const outgoing = withCredentials(written, own, applied);
    const { secrets } = applied;
    const response = await send(outgoing, { fetch, limits, signal, where, secrets });
    const { status } = response;
    if (
      (status === 401 || status === 403) &&
      (await computed(
        prepared,
        () => mayRepeat(applied, outgoing, response, attempt, operationKey, signal),
        signal,
        response,
      ))
    ) {
      discard(response);
      continue;
    }
    if (status >= 400 || status < 200) {
      const isRefused = status === 401 || status === 403;
      throw await errorOf(response, {
        where,
        secrets,
        hint: isRefused ? missingHint(operation, schemes) : "",
      });
    }
    const result = await resultOf(response, {
      where,
      url: placeOf(written.url),
      isStructured: outputSchema !== undefined,
      isObject: outputSchema?.["type"] === "object",
      isStrict,
      maxMessageBytes: limits.maxMessageBytes,
      maxResultBytes: limits.maxResultBytes,
      secrets,
      check: (value) => checkOutput?.(value),
      onWarning: setting.onWarning,
    });
    const next = nextPage(response.headers, outgoing.url, prepared, result.structuredContent);
    return withNext(result, next, secrets);
  }
}

/**
 * Computes a part of a request.
 *
 * @param refused - The response after which the request is written again.
 * @throws `ToolError`: such a failure is not one of the API.
 */
async function computed<T>(
  prepared: Prepared,
  compute: () => Promise<T>,
  signal: AbortSignal,
  refused?: Response,
): Promise<T> {
  try {
    return await compute();
  } catch (cause) {
    if (refused !== undefined) {
      discard(refused);
    }
    if (signal.aborted || isToolError(cause)) {
      throw cause;
    }
    const where = whereOf(prepared);
    const code = codeIn(cause);
    const named = code === undefined ? "" : ` (${code})`;
    const [warning, message] =
      refused === undefined
        ? [
            `${where} was not sent, because its credentials or headers failed`,
            `this server failed to get its credentials${named}, and sent no request.`,
          ]
        : [
            `${where} was not repeated, because the provider of its credentials failed`,
            `the API responded with ${refused.status}, and this server failed to renew its credentials${named}.`,
          ];
    prepared.setting.onWarning(`${warning}: ${reasonOf(cause)}`);
    throw new ToolError(`${where}: ${message}`, { cause });
  }
}

/** The method and the path of the document: values of arguments may be private. */
function whereOf({ operation }: Prepared): string {
  return `${operation.method} ${operation.path}`;
}

function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

interface Written {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: string | undefined;
  readonly content: Outgoing["content"];
}

/**
 * Writes the request without its credentials. @throws `ToolError` for values that cannot be sent.
 */
function write(
  { operation, plan, base, setting }: Prepared,
  args: Readonly<Record<string, unknown>>,
): Written {
  const given = plan.parameters.flatMap(({ argument, parameter }): Given[] => {
    const value = argumentOf(args, argument);
    const { allowEmpty, mediaType } = parameter;
    const isWritten = isPresent(value) || (value === null && (allowEmpty || mediaType !== undefined));
    return isWritten ? [{ argument, parameter, value }] : [];
  });
  const of = (...places: string[]): Given[] =>
    given.filter(({ parameter }) => places.includes(parameter.place));
  // Some documents distinguish operations of one path by a query or a fragment in the path.
  const [path = ""] = operation.path.split(/[?#]/);
  const query = [operation.fixedQuery, writeQuery(of("query", "querystring"))]
    .filter((part) => part !== "")
    .join("&");
  const address = `${base}${writePath(path, of("path"))}`;
  const url = new URL(address + (query === "" ? "" : `?${query}`));
  if (placeOf(url) !== new URL(address).href.replace(/[?#].*$/, "") || !url.href.startsWith(base)) {
    throw new ToolError("The arguments lead out of the API's address.");
  }
  const bodyValue = plan.body === undefined ? undefined : argumentOf(args, plan.body);
  const body =
    operation.body === undefined || bodyValue === undefined
      ? undefined
      : writeBody(operation.body, bodyValue, plan.files);
  if (body !== undefined && lengthInBytes(body.content) > setting.limits.maxRequestBytes) {
    throw new ToolError(`Body exceeds the limit of ${setting.limits.maxRequestBytes} bytes.`);
  }
  return {
    url,
    method: operation.method,
    headers: {
      accept: acceptOf(operation.responses),
      "user-agent": "tenon",
      ...(body === undefined ? {} : { "content-type": body.mediaType }),
      ...writeHeaders(of("header")),
    },
    cookies: writeCookies(of("cookie")),
    content: body?.content,
  };
}

/** The own value of an argument: objects inherit `constructor` and others. */
function argumentOf(args: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** The media types of the documented responses, JSON first. */
function acceptOf(responses: Prepared["operation"]["responses"]): string {
  const types = [...new Set(responses.flatMap(({ content }) => [...content.keys()]))].filter((type) =>
    /^[\w.+*-]+\/[\w.+*-]+$/.test(type),
  );
  const json = types.filter((type) => type.includes("json"));
  const others = types
    .filter((type) => !type.includes("json"))
    .map((type) => (json.length > 0 ? `${type};q=0.5` : type));
  const named = [...json, ...others].slice(0, 8);
  return named.length === 0 ? "application/json, */*;q=0.5" : [...named, "*/*;q=0.1"].join(", ");
}

async function ownHeaders(
  { setting }: Prepared,
  context: RequestContext,
): Promise<Readonly<Record<string, string>>> {
  const { headers = {} } = setting;
  const returned = typeof headers === "function" ? headers(context) : headers;
  const fields = isThenable(returned) ? await returned : returned;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== "string" || !/^[\x20-\x7e]*$/.test(value)) {
        throw new TypeError(
          `Option headers must have values of visible ASCII characters; ${name} has others.`,
        );
      }
      return [name.toLowerCase(), value];
    }),
  );
}

function withCredentials(
  { url, method, headers, cookies, content }: Written,
  own: Readonly<Record<string, string>>,
  applied: AppliedCredentials,
): Outgoing {
  const whole = new URL(url);
  whole.search = [url.search.slice(1), ...applied.query].filter((part) => part !== "").join("&");
  const cookie = [...(cookies === undefined ? [] : [cookies]), ...applied.cookies].join("; ");
  return {
    url: whole,
    method,
    headers: { ...headers, ...own, ...applied.headers, ...(cookie === "" ? {} : { cookie }) },
    content,
  };
}

const maxAttempts = 3;

/** Whether a refused request may be sent again, as the provider of the credentials decides. */
async function mayRepeat(
  { provider, headers }: AppliedCredentials,
  { url, method }: Outgoing,
  response: Response,
  attempt: number,
  operation: object,
  signal: AbortSignal,
): Promise<boolean> {
  if (provider?.refused === undefined || attempt >= maxAttempts) {
    return false;
  }
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
  const challenge = header("www-authenticate");
  const { status } = response;
  const answer: unknown = await provider.refused({
    url,
    method,
    signal,
    sent: headers,
    status,
    header,
    challenge,
    attempt,
    operation,
  });
  return answer === true;
}

function withNext(
  result: CallToolResult,
  found: Record<string, unknown> | undefined,
  secrets: readonly string[],
): CallToolResult {
  if (found === undefined) {
    return result;
  }
  const next = withoutSecretsIn(found, secrets);
  const text = `There is more: for the next page, call again with ${JSON.stringify(next)} and the same other arguments.`;
  return {
    ...result,
    content: [...result.content, { type: "text", text }],
    _meta: { ...result._meta, [nextArgumentsKey]: next },
  };
}

/**
 * The error for a request without a response. The cause stays in the process: it names addresses.
 */
function failure(prepared: Prepared, cause: unknown, isLate: boolean): ToolError {
  const where = whereOf(prepared);
  const { totalTimeoutMs } = prepared.setting.limits;
  if (isLate) {
    return new ToolError(`${where}: the API did not respond within ${totalTimeoutMs} ms.`, { cause });
  }
  const code = codeIn(cause);
  const isRefused = code === "ADDRESS_REFUSED";
  const why = cause instanceof Error ? cause.message : String(cause);
  prepared.setting.onWarning(
    isRefused
      ? `${where} failed: the server of the document has a private address. If it is your API, set its URL by the option server.`
      : `${where} failed: ${why}`,
  );
  return isRefused
    ? new ToolError(`${where}: the API has a private address, which its document may not name.`, { cause })
    : new ToolError(
        `${where}: the API could not be reached, or broke the connection${code === undefined ? "" : ` (${code})`}.`,
        { cause },
      );
}

function codeIn(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 4 && typeof current === "object" && current !== null; depth++) {
    const { code, cause } = current as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === "string" && /^[A-Z_]{3,40}$/.test(code)) {
      return code;
    }
    current = cause;
  }
  return undefined;
}
