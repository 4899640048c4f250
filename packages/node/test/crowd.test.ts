import { Peer } from "@tenon/jsonrpc2";
import { Server } from "@tenon/mcp";
import { listen } from "@tenon/node";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/transports-streamable-http";
import { expect, test } from "vitest";

import { eras } from "./setup.ts";

const clients = 30;
/** Of each client, and as many of them at a time. */
const calls = 20;
const atATime = 4;

const meta = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A peer whose requests are numbered from 0, like those of every other. */
async function numberedFromZero(url: URL, era: string): Promise<Peer> {
  let id = 0;
  const connection = await new StreamableClientTransport(url, { eras: false }).connect();
  const peer = new Peer(connection, { nextId: () => id++ });
  if (era === "legacy") {
    const clientInfo = { name: "one of many", version: "1" };
    await peer.call("initialize", { protocolVersion: legacyRevision, capabilities: {}, clientInfo });
    await peer.notify("notifications/initialized");
    id = 0;
  }
  return peer;
}

test.each(eras)(
  "many $era clients whose requests have the same ids get their own answers from one server, whatever order they are answered in (T-035)",
  async ({ era }) => {
    const server = new Server({ name: "crowd", version: "1" });
    const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
    server.addTool({ name: "echo", input }, async ({ text }, { progress }) => {
      for (let turn = 0; turn < text.length % 4; turn++) {
        await new Promise(setImmediate);
      }
      await progress(1, 1, text);
      return text;
    });
    await using listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
    // On a busy machine a connection that was not used for five seconds would be closed while it is
    // used again.
    listening.http.keepAliveTimeout = 60_000;
    const peers = await Promise.all(
      Array.from({ length: clients }, () => numberedFromZero(listening.url, era)),
    );
    const foreign: unknown[] = [];
    const ask = async (peer: Peer, client: number, call: number): Promise<void> => {
      const text = `${client}/${call}/${"x".repeat((client + call) % 7)}`;
      const _meta = { ...(era === "modern" ? meta : {}), progressToken: call };
      const result = await peer.call("tools/call", { name: "echo", arguments: { text }, _meta });
      const [block] = (result as { content: readonly { text: string }[] }).content;
      if (block?.text !== text) {
        foreign.push([text, block]);
      }
    };
    await Promise.all(
      peers.map(async (peer, client) => {
        for (let call = 0; call < calls; call += atATime) {
          await Promise.all(Array.from({ length: atATime }, (_, index) => ask(peer, client, call + index)));
        }
      }),
    );
    expect(foreign).toEqual([]);
    await Promise.all(peers.map((peer) => peer.close({ drainMs: 0 })));
  },
);
