import type { Server } from "@tenon/mcp";

import { raw } from "../jsonrpc2/memory.ts";
import { paramsOf, type Caller } from "../jsonrpc2/work.ts";
import { modernEnvelope } from "./modern-envelope.ts";
import { addInput, addShape, connectTenon, connectV1, connectV2 } from "./sessions.ts";

interface Arguments {
  readonly a: number;
  readonly b: number;
}

/** What every server answers. */
function sumOf({ a, b }: Arguments): {
  content: [{ type: "text"; text: string }];
  structuredContent: { sum: number };
} {
  return { content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } };
}

const callOf = (index: number): { name: string; arguments: Record<string, unknown> } => ({
  name: "add",
  arguments: (paramsOf(index) as { arguments: Record<string, unknown> }).arguments,
});

async function tenon(name: string, revision: "2025-11-25" | "2026-07-28", serialize = true): Promise<Caller> {
  const setUp = (server: Server): void => {
    server.addTool({ name: "add", input: addInput }, sumOf);
  };
  const session = await connectTenon(revision, setUp, serialize);
  return { name, call: (index) => session.callTool(callOf(index)), close: () => session.close() };
}

async function officialV2(): Promise<Caller> {
  const client = await connectV2((server) => {
    server.registerTool("add", { inputSchema: addShape }, sumOf);
  });
  return {
    name: "official v2",
    call: (index) => client.callTool(callOf(index)),
    close: () => client.close(),
  };
}

async function officialV1(): Promise<Caller> {
  const client = await connectV1((server) => {
    server.registerTool("add", { inputSchema: addShape }, sumOf);
  });
  return {
    name: "official v1",
    call: (index) => client.callTool(callOf(index)),
    close: () => client.close(),
  };
}

/** Client and server in one process, and `add` with validated arguments. */
export async function memoryCallers(): Promise<Caller[]> {
  return [
    raw(),
    raw("raw 2026", modernEnvelope.params, modernEnvelope.result),
    await tenon("tenon", "2025-11-25"),
    await tenon("tenon 2026", "2026-07-28"),
    await tenon("tenon, objects passed", "2025-11-25", false),
    await tenon("tenon 2026, objects passed", "2026-07-28", false),
    await officialV2(),
    await officialV1(),
  ];
}
