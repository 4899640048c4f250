import type { LoadConnection } from "./connection.ts";

const clientInfo = { name: "bench", version: "1.0.0" };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": clientInfo,
};

/** The era, and the kind of serving, in which a call is made. */
export type Mode = "modern" | "stateful" | "stateless";

/** The text of one HTTP request. @param fields - Further header fields, each with its line end. */
export function post(fields: string, message: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`;
}

/** Makes the texts of calls. */
export type CallText = (name: string, args: object, meta?: object) => string;

/** A request of 2026-07-28, whose params get the envelope. */
export function modernRequest(fields: string, method: string, params: ModernParams, id = 1): string {
  const { name, _meta } = params;
  const named = name === undefined ? "" : `mcp-name: ${name}\r\n`;
  return post(`mcp-protocol-version: 2026-07-28\r\nmcp-method: ${method}\r\n${named}${fields}`, {
    id,
    method,
    params: { ...params, _meta: { ...envelope, ..._meta } },
  });
}

interface ModernParams extends Readonly<Record<string, unknown>> {
  readonly name?: string | undefined;
  readonly _meta?: object | undefined;
}

function modernCall(fields: string): CallText {
  let id = 0;
  return (name, args, meta) =>
    modernRequest(fields, "tools/call", { name, arguments: args, _meta: meta }, ++id);
}

function legacyCall(fields: string): CallText {
  let id = 0;
  return (name, args, meta) =>
    post(`mcp-protocol-version: 2025-11-25\r\n${fields}`, {
      id: ++id,
      method: "tools/call",
      params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
    });
}

/** What a legacy client sends first. */
export const initializeParams = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };

/**
 * Opens a session.
 *
 * @returns The header fields of its further requests: those given, and the one that names it.
 */
export async function openSession(
  connection: LoadConnection,
  identity = "",
  params: object = initializeParams,
): Promise<string> {
  const { head, status } = await connection.send(post(identity, { id: 0, method: "initialize", params }));
  const id = /\r\nmcp-session-id: *(\S+)/.exec(head)?.[1];
  if (status !== 200) {
    throw new Error(`initialize was answered with ${status}: ${head}`);
  }
  const fields = id === undefined ? identity : `${identity}mcp-session-id: ${id}\r\n`;
  await connection.send(
    post(`${fields}mcp-protocol-version: 2025-11-25\r\n`, { method: "notifications/initialized" }),
  );
  return fields;
}

/** Prepares a connection for calls. @param identity - Header fields that say who calls. */
export async function callsOn(connection: LoadConnection, mode: Mode, identity = ""): Promise<CallText> {
  if (mode === "modern") {
    return modernCall(identity);
  }
  return legacyCall(mode === "stateful" ? await openSession(connection, identity) : identity);
}
