import { isRecord } from "@tenon/base";
import type { HeadersLike } from "@tenon/http/client";
import type { Message } from "@tenon/jsonrpc2";
import { findMethod, headerSource } from "@tenon/protocol";

import { encodeHeaderValue } from "../shared/header-value.ts";
import { HeaderName, MediaType } from "../shared/names.ts";
import type { ToolBook } from "./tool-book.ts";

/** The headers of every POST. @source */
export const postHeaders: HeadersLike = {
  accept: `${MediaType.json}, ${MediaType.events}`,
  "content-type": MediaType.json,
};

/** Maximum number of methods, and of names for each method, whose headers are kept. */
const maxKept = 256;
/** Headers with longer names are not kept. */
const maxKeptLength = 128;

/**
 * Headers of the version that was used last, by method and name. They do not depend on the client.
 */
const kept = new Map<string, Map<string | undefined, HeadersLike>>();
let keptVersion = "";

/**
 * Returns the headers of a modern message. Messages share one object if their headers are equal and
 * repeat no arguments.
 *
 * @param version - As in its `_meta`.
 * @source
 */
export function modernHeaders(message: Message, version: string, tools: ToolBook): HeadersLike {
  if (!("method" in message)) {
    return { ...postHeaders, [HeaderName.protocolVersion]: version };
  }
  const { method, params } = message;
  const source = findMethod(method)?.header ?? ownSource(params);
  const fields = source !== undefined && isRecord(params) ? params : {};
  const name = source === undefined ? undefined : fields[source];
  if (typeof name !== "string") {
    return headersOf(version, method, undefined);
  }
  const headers = headersOf(version, method, name);
  const own = method === "tools/call" ? tools.headersFor(name, fields["arguments"]) : undefined;
  return own === undefined ? headers : { ...headers, ...own };
}

/** The param that the header of an extension's request repeats. */
function ownSource(params: object | undefined): string | undefined {
  return params === undefined ? undefined : (params as { [headerSource]?: string })[headerSource];
}

function headersOf(version: string, method: string, name: string | undefined): HeadersLike {
  if (version !== keptVersion) {
    kept.clear();
    keptVersion = version;
  }
  const known = kept.get(method)?.get(name);
  if (known !== undefined) {
    return known;
  }
  const headers = {
    ...postHeaders,
    [HeaderName.protocolVersion]: version,
    [HeaderName.method]: method,
    ...(name === undefined ? {} : { [HeaderName.name]: encodeHeaderValue(name) }),
  };
  if (method.length <= maxKeptLength && (name ?? "").length <= maxKeptLength) {
    keep(method, name, headers);
  }
  return headers;
}

function keep(method: string, name: string | undefined, headers: HeadersLike): void {
  const byName = kept.get(method) ?? new Map<string | undefined, HeadersLike>();
  if (kept.size < maxKept || kept.has(method)) {
    kept.set(method, byName);
  }
  if (byName.size < maxKept) {
    byName.set(name, headers);
  }
}

/** The headers of a legacy message. @source */
export function legacyHeaders(session: { readonly headers: HeadersLike } | undefined): HeadersLike {
  return session === undefined ? postHeaders : { ...postHeaders, ...session.headers };
}
