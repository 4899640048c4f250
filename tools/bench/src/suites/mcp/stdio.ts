import { fileURLToPath } from "node:url";

import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client } from "@tenon/mcp";
import { CommandTransport } from "@tenon/transports-stdio/client";

import { raw } from "../jsonrpc2/pipes.ts";
import { paramsOf, type Caller } from "../jsonrpc2/work.ts";
import { modernEnvelope } from "./modern-envelope.ts";

const info = { name: "bench", version: "1.0.0" };

/** A server program, as every SDK's documentation would have it run: plain JavaScript. */
export const programOf = (name: string): string =>
  fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));

const callOf = (index: number): { name: string; arguments: Record<string, unknown> } => ({
  name: "add",
  arguments: (paramsOf(index) as { arguments: Record<string, unknown> }).arguments,
});

/** Our client with our server. */
export async function tenon(name: string, revision: "2025-11-25" | "2026-07-28"): Promise<Caller> {
  const transport = new CommandTransport({
    command: process.execPath,
    args: [programOf("tenon")],
    inheritEnv: "all",
  });
  let pid: number | undefined;
  const session = await new Client(info, { revisions: [revision], cache: false }).connect({
    async connect(options) {
      const connection = await transport.connect(options);
      pid = connection.pid;
      return connection;
    },
  });
  return { name, pid, call: (index) => session.callTool(callOf(index)), close: () => session.close() };
}

/** The official client 2 with the official server 2, in their 2025 era. */
export async function officialV2(): Promise<Caller> {
  const client = new ClientV2(info, { versionNegotiation: { mode: "legacy" } });
  const transport = new StdioV2({
    command: process.execPath,
    args: [programOf("official-v2")],
    stderr: "inherit",
  });
  await client.connect(transport);
  const pid = transport.pid ?? undefined;
  return {
    name: "official v2",
    pid,
    call: (index) => client.callTool(callOf(index)),
    close: () => client.close(),
  };
}

/** The official client 1 with the official server 1. */
export async function officialV1(): Promise<Caller> {
  const client = new ClientV1(info);
  const transport = new StdioV1({
    command: process.execPath,
    args: [programOf("official-v1")],
    stderr: "inherit",
  });
  await client.connect(transport);
  const pid = transport.pid ?? undefined;
  return {
    name: "official v1",
    pid,
    call: (index) => client.callTool(callOf(index)),
    close: () => client.close(),
  };
}

/** The server as a child process. */
export async function stdioCallers(): Promise<Caller[]> {
  return [
    raw("raw", false),
    raw("raw 2026", false, modernEnvelope),
    await tenon("tenon", "2025-11-25"),
    await tenon("tenon 2026", "2026-07-28"),
    await officialV2(),
    await officialV1(),
  ];
}
