import { Server } from "@tenon/mcp";
import { createMemoryBus, createMemorySessionStore, type Bus, type SessionStore } from "@tenon/stores";
import { createStreamableHandler, type SessionStores } from "@tenon/transports-streamable-http/server";

import { sequentialLoop } from "../../loops/async.ts";
import type { Subject } from "../../runner.ts";
import type { Place } from "./places.ts";

export const works = {
  call: "a call of a session",
  roundTrip: "reading its record by the bare client",
} as const;

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
};

const body = (method: string, params: object, id?: number): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params });

/** Opens a session on a handler with these stores. @returns Makes a call and checks its answer. */
async function callOf(stores: SessionStores): Promise<{ call(): Promise<void>; id: string }> {
  const server = new Server({ name: "bench", version: "1.0.0" });
  server.addTool({ name: "echo" }, () => "echo");
  const handler = createStreamableHandler({ getServer: () => server, stores });
  const post = (text: string, session: Record<string, string> = {}): Promise<Response> =>
    handler.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: { ...headers, ...session },
        body: text,
      }),
    );
  const clientInfo = { name: "bench", version: "1.0.0" };
  const opened = await post(
    body("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }, 1),
  );
  await opened.text();
  const id = opened.headers.get("mcp-session-id") ?? "";
  const session = { "mcp-session-id": id };
  await (await post(body("notifications/initialized", {}), session)).text();
  const call = body("tools/call", { name: "echo", arguments: {} }, 2);
  return {
    id,
    async call() {
      const text = await (await post(call, session)).text();
      if (!text.includes('"text":"echo"')) {
        throw new Error(`Expected "echo", got ${text}`);
      }
    },
  };
}

/** Calls of one session, one after the other, by stores in memory and in the places. */
export async function callSubjects(places: readonly Place[]): Promise<Subject[]> {
  const subject = (candidate: string, work: string, call: () => Promise<void>): Subject => ({
    candidate,
    work,
    sample: sequentialLoop(call, { calls: 2000 }),
  });
  const memory: { sessions: SessionStore; bus: Bus } = {
    sessions: createMemorySessionStore(),
    bus: createMemoryBus(),
  };
  const subjects = [subject("memory", works.call, (await callOf(memory)).call)];
  for (const { name, stores, roundTrip } of places) {
    const { sessions, bus } = stores;
    const { call, id } = await callOf({ sessions, bus });
    subjects.push(subject(name, works.call, call));
    subjects.push(subject(name, works.roundTrip, () => roundTrip(id)));
  }
  return subjects;
}
