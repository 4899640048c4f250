import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { Client } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, tenon } from "./support.ts";

const uris = ["Letters://HOST/%7Eada", "letters://host/a/../b", "letters://host/plain"];

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly uri: string; readonly protocolVersion: string };
}

/** A server of another maker: it compares URIs letter by letter. @returns Its address. */
async function lettersServer(): Promise<string> {
  const results: Readonly<Record<string, (params: Message["params"]) => object | undefined>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { resources: {} },
      serverInfo: { name: "letters", version: "1" },
    }),
    "resources/list": () => ({ resources: uris.map((uri) => ({ uri, name: uri })) }),
    "resources/read": ({ uri }) => (uris.includes(uri) ? { contents: [{ uri, text: uri }] } : undefined),
    ping: () => ({}),
  };
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      const message = request.method === "POST" ? (JSON.parse(body) as Message) : undefined;
      if (message?.id === undefined) {
        response.writeHead(message === undefined ? 405 : 202).end();
        return;
      }
      const { id, method, params } = message;
      const result = results[method]?.(params);
      const error = { code: -32_602, message: `Unknown: ${method} ${JSON.stringify(params)}` };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
    });
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `${await originOnFreePort(http)}/mcp`;
}

test.each(bothEras.flatMap((front) => [[front, "one server"] as const, [front, "many servers"] as const]))(
  "resources are read by the spelling that their server has listed (a client of %s, %s)",
  async (front, behind) => {
    const interruption = new AbortController();
    const url = deferred<string>();
    const targets = [await lettersServer(), ...(behind === "one server" ? [] : [fixture("notes.mjs")])];
    const serving = tenon(["serve", ...targets, "--http"], {
      signal: interruption.signal,
      onWrite: (stream, written) => stream === "stdout" && url.resolve(written.trim()),
    });
    const failed = serving.then(({ stderr }) => Promise.reject(new Error(stderr)));
    failed.catch(() => {});
    const address = await Promise.race([url.promise, failed]);
    const client = new Client({ name: "host", version: "1" }, { revisions: [front] });
    const session = await client.connect(new StreamableClientTransport(address));
    onTestFinished(async () => {
      await session.close();
      interruption.abort(new Interrupted());
      await serving;
    });
    const { resources } = await session.listResources();
    // The name of a resource is its URI at the server; many servers have theirs in the URI.
    const letters = resources.filter(({ name }) => uris.includes(name));
    expect(letters.map(({ name }) => name)).toEqual(uris);
    expect(letters.every(({ name, uri }) => (name === uri) === (behind === "one server"))).toBe(true);
    for (const { name, uri } of letters) {
      expect(await session.readResource({ uri })).toMatchObject({ contents: [{ text: name }] });
    }
  },
);
