import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport as MemoryV2, McpServer as ServerV2 } from "@modelcontextprotocol/server";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { z } from "zod";

const info = { name: "bench", version: "1.0.0" };

/**
 * Our server and client, connected in memory; messages are really serialised unless `serialize` is
 * false.
 */
export async function connectTenon(
  revision: "2025-11-25" | "2026-07-28",
  setUp: (server: Server) => void,
  serialize = true,
): Promise<ClientSession> {
  const server = new Server(info);
  setUp(server);
  const [here, there] = createInMemoryTransports({ serialize });
  await server.connect(there);
  return new Client(info, { revisions: [revision], cache: false }).connect(here);
}

/** The official SDK 2, connected in memory; it passes objects without serialising them. */
export async function connectV2(setUp: (server: ServerV2) => void): Promise<ClientV2> {
  const server = new ServerV2(info);
  setUp(server);
  const [here, there] = MemoryV2.createLinkedPair();
  await server.connect(there);
  const client = new ClientV2(info, { versionNegotiation: { mode: "legacy" } });
  await client.connect(here);
  return client;
}

/** The official SDK 1, connected in memory; it passes objects without serialising them. */
export async function connectV1(setUp: (server: ServerV1) => void): Promise<ClientV1> {
  const server = new ServerV1(info);
  setUp(server);
  const [here, there] = MemoryV1.createLinkedPair();
  await server.connect(there);
  const client = new ClientV1(info);
  await client.connect(here);
  return client;
}

/** The arguments of `add`, in the way of each SDK. */
export const addInput = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;

/** The same for the official SDKs. */
export const addShape = { a: z.number(), b: z.number() };
