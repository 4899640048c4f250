import { isRecord } from "@tenon/base";
import type { Exchange } from "@tenon/http/server";
import { ErrorCode, type Request } from "@tenon/jsonrpc2/core";
import { findMethod, McpErrorCode, MetaKey, type HeaderParameter } from "@tenon/protocol";

import { decodeHeaderValue } from "../shared/header-value.ts";
import { HeaderName } from "../shared/names.ts";
import { paramHeadersOf, valueAt } from "../shared/param-headers.ts";
import type { StatelessCall } from "./call.ts";
import { refusal, type Refusal } from "./refusal.ts";

/**
 * Checks that the headers of a modern request match its body, and that the body contains the
 * protocol version and the client's capabilities. If several checks fail, the error names the
 * first.
 *
 * @source R-310…, T-01
 */
export function checkEnvelope(
  { method, params }: Request,
  { exchange, version, facts, server }: StatelessCall,
): Refusal | undefined {
  if (version === undefined) {
    return mismatch("the header MCP-Protocol-Version is missing");
  }
  if (facts.version === undefined) {
    return missing(MetaKey.protocolVersion, "a string");
  }
  if (version !== facts.version) {
    return mismatch("MCP-Protocol-Version and the version in _meta differ");
  }
  if (!isRecord(facts.capabilities)) {
    return missing(MetaKey.clientCapabilities, "an object");
  }
  return exchange.header(HeaderName.method) === method
    ? checkName(exchange, findMethod(method)?.header ?? server.headerParam?.(method), params)
    : mismatch("Mcp-Method does not repeat the method");
}

/** @param source - The param that `Mcp-Name` repeats. */
function checkName(
  exchange: Exchange,
  source: string | undefined,
  params: object | undefined,
): Refusal | undefined {
  if (source === undefined) {
    return undefined;
  }
  const header = exchange.header(HeaderName.name);
  const value = isRecord(params) ? params[source] : undefined;
  if (header === undefined) {
    return typeof value === "string" ? mismatch("the header Mcp-Name is missing") : undefined;
  }
  const name = decodeHeaderValue(header);
  return name !== undefined && name === value
    ? undefined
    : mismatch(`Mcp-Name does not repeat the param ${source}`);
}

/** Checks the `Mcp-Param-*` headers of a `tools/call` against its arguments. @source R-324…R-326 */
export function checkParams(
  { method, params }: Request,
  { exchange, server }: StatelessCall,
): Refusal | undefined {
  if (method !== "tools/call" || server.toolInputSchema === undefined || !isRecord(params)) {
    return undefined;
  }
  const { name, arguments: args } = params;
  const schema = typeof name === "string" ? server.toolInputSchema(name) : undefined;
  if (schema === undefined) {
    return undefined;
  }
  for (const header of paramHeadersOf(schema).parameters ?? []) {
    const received = exchange.header(HeaderName.paramPrefix + header.name.toLowerCase());
    if (!agrees(header, received, valueAt(args, header.path))) {
      return mismatch(`Mcp-Param-${header.name} does not repeat the argument ${header.path.join(".")}`);
    }
  }
  return undefined;
}

/** Integers that every intermediary parses alike. `Number` also accepts `0x2a` and ` 42 `. */
const decimal = /^-?(?:0|[1-9]\d*)(?:\.0+)?$/;

function agrees({ type }: HeaderParameter, received: string | undefined, value: unknown): boolean {
  if (value === undefined || value === null) {
    return received === undefined;
  }
  const decoded = received === undefined ? undefined : decodeHeaderValue(received);
  if (decoded === undefined) {
    return false;
  }
  if (type === "integer") {
    return typeof value === "number" && decimal.test(decoded) && Number(decoded) === value;
  }
  return (typeof value === "string" || typeof value === "boolean") && decoded === String(value);
}

function mismatch(detail: string): Refusal {
  return refusal(400, `Header mismatch: ${detail}`, McpErrorCode.HeaderMismatch);
}

function missing(key: string, expected: string): Refusal {
  return refusal(400, `_meta of the request must contain ${key}, ${expected}`, ErrorCode.InvalidParams);
}
