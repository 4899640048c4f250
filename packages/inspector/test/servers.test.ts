import type { Transport } from "@tenon/jsonrpc2";
import type { Revision } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { parseCassette } from "@tenon/testing";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, test } from "vitest";

import { createLog } from "../src/engine/log.ts";
import type { LiveSource } from "../src/index.ts";
import { logIn, type SeenState } from "./support/browser.ts";
import { named, orderServer } from "./support/live.ts";

/** A page whose servers, as many as are opened, request input in each call. */
async function openedWith(revision: Revision, maxInputRequests: number): ReturnType<typeof logIn> {
  const sourceOf = async (): Promise<LiveSource> => {
    const [transport, there] = createInMemoryTransports();
    await orderServer().connect(there);
    return { kind: "live", label: "memory", transport, client: { revisions: [revision] } };
  };
  const browser = await logIn({
    source: await sourceOf(),
    servers: { list: () => Promise.resolve([]), open: sourceOf },
    limits: { maxInputRequests },
  });
  await browser.state(({ source }) => source.phase === "open");
  return browser;
}

describe.each(bothEras)("with %s", (revision) => {
  test("several servers are open at once, each with its own lines, responses, forms and export", async () => {
    const connected = async (): Promise<Transport> => {
      const [here, there] = createInMemoryTransports();
      await orderServer().connect(there);
      return here;
    };
    const live = { kind: "live", label: "memory", client: { revisions: [revision] } } as const;
    let opens = 0;
    const browser = await logIn({
      source: { ...live, transport: await connected() },
      servers: {
        list: () => Promise.resolve([{ id: "other", name: "other", label: "memory", origin: "test" }]),
        open: async () => ({ ...live, label: `other ${++opens}`, transport: await connected() }),
      },
      limits: { maxServers: 2 },
    });
    const { id: first } = await browser.state(({ source }) => source.phase === "open");
    const call = { do: "call", method: "tools/call", params: { name: "order" } };
    await browser.act({ ...call, call: "c1" });
    const { inputRequests } = await browser.state(({ inputRequests: all }) => all.length > 0);
    const answer = { action: "accept", content: { count: 3 } };
    await browser.act({ do: "answer", question: inputRequests[0]?.id, answer, always: true });
    await named(browser, "c1");

    const { server } = (await browser.act({ do: "open", to: { id: "other" } })) as { server: string };
    expect(await browser.act({ do: "open", to: { id: "other" } })).toEqual({ server });
    await expect(browser.act({ do: "open", to: { id: "third" } })).rejects.toThrow("2 servers are open");
    await browser.state(({ source }) => source.phase === "open" && source.label === "other 1", server);
    expect((await browser.state(() => true)).source.phase).toBe("open");
    await browser.act({ ...call, call: "c2", server });
    const asked = await browser.state(({ inputRequests: all }) => all.length > 0, server);
    expect([asked.always, (await browser.state(() => true)).inputRequests]).toEqual([{}, []]);
    await browser.act({ do: "answer", question: asked.inputRequests[0]?.id, answer, server });
    await browser.state(({ calls }) => calls.some(({ phase }) => phase === "done"), server);

    const calls = (await browser.lines()).filter(
      ({ method, kind }) => method === "tools/call" && kind === "request",
    );
    expect(new Set(calls.map((line) => line.server))).toEqual(new Set([first, server]));
    // The subscription to the lists takes the first lane of each server in the modern era.
    expect(new Set(calls.map(({ lane }) => lane))).toEqual(new Set([revision === modernRevision ? 1 : 0]));
    const exported = async (of: string): Promise<number> => {
      const text = await (await browser.send(`export?format=jsonl&server=${of}`)).text();
      return parseCassette(text).entries.filter(({ dir }) => dir === "write").length;
    };
    const all = (await browser.lines()).filter(({ to }) => to === "server").length;
    expect((await exported(first)) + (await exported(server))).toBe(all);
    expect((await browser.send("export?format=jsonl&server=s9")).status).toBe(404);

    // Its entry in the list may have changed.
    await browser.act({ do: "disconnect", server });
    const asBefore = ({ phase, serverInfo }: SeenState["source"]): boolean =>
      phase === "closed" && serverInfo !== undefined;
    await browser.state(({ source }) => asBefore(source), server);
    await browser.act({ do: "connect", server });
    await browser.state(({ source }) => source.phase === "open" && source.label === "other 2", server);

    await browser.act({ do: "remove", server });
    await browser.state(({ servers }) => servers.length === 1);
    await expect(browser.act({ ...call, call: "c3", server })).rejects.toThrow("was removed");
    await expect(browser.act({ do: "remove" })).rejects.toThrow("Expected a second server");

    const both = await Promise.allSettled(
      ["third", "fourth"].map((id) => browser.act({ do: "open", to: { id } })),
    );
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await browser.inspector.close();
  });

  test("a server that asks often does not keep another server from asking", async () => {
    const browser = await openedWith(revision, 2);
    const { server } = (await browser.act({ do: "open", to: { id: "other" } })) as { server: string };
    await browser.state(({ source }) => source.phase === "open", server);
    const call = { do: "call", method: "tools/call", params: { name: "order" } };
    await browser.act({ ...call, call: "c1" });
    await browser.act({ ...call, call: "c2" });
    await browser.state(({ calls }) => calls.some(({ phase }) => phase === "done"));
    await browser.act({ ...call, call: "c3", server });
    await browser.state(({ inputRequests }) => inputRequests.length === 1, server);
    expect((await browser.state(() => true)).inputRequests).toHaveLength(1);
    await browser.inspector.close();
  });

  test("a server takes its share of input requests from one that asked before it was opened", async () => {
    const browser = await openedWith(revision, 4);
    const call = { do: "call", method: "tools/call", params: { name: "order" } };
    for (const id of ["c1", "c2", "c3", "c4"]) {
      await browser.act({ ...call, call: id });
    }
    await browser.state(({ inputRequests }) => inputRequests.length === 4);
    const { server } = (await browser.act({ do: "open", to: { id: "other" } })) as { server: string };
    await browser.state(({ source }) => source.phase === "open", server);
    await browser.act({ ...call, call: "c5", server });
    await browser.act({ ...call, call: "c6", server });
    await browser.state(({ inputRequests }) => inputRequests.length === 2, server);
    expect((await browser.state(() => true)).inputRequests).toHaveLength(2);
    const problems = (await browser.lines()).filter(({ kind }) => kind === "problem");
    expect(problems.map(({ subject }) => subject)).toEqual(
      Array(2).fill("Cancelled an input request: another server needs its share of them."),
    );
    await browser.inspector.close();
  });
});

test("a server that sends much loses its own oldest lines, and not those of another", () => {
  const message = (text: string): object => ({
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { text },
  });
  for (const limits of [
    { maxLines: 6, maxLogBytes: 1_000_000 },
    { maxLines: 10_000, maxLogBytes: 6000 },
  ]) {
    const log = createLog({ ...limits, maxLineBytes: 10_000 }, () => {});
    const add = (server: string): void =>
      log.add({ at: 0, connection: 0, to: "client", message: message("x".repeat(900)) }, server);
    ["quiet", "quiet"].forEach(add);
    Array.from({ length: 5000 }, () => "loud").forEach(add);
    add("quiet");
    const kept = log.lines().map(({ summary }) => summary.server);
    expect(kept.filter((server) => server === "quiet")).toHaveLength(3);
    expect(kept.filter((server) => server === "loud").length).toBeGreaterThanOrEqual(2);
    expect(log.dropped + kept.length).toBe(5003);
    expect([log.line(1)?.summary.seq, log.line(3), log.line(5003)?.summary.seq]).toEqual([
      1,
      undefined,
      5003,
    ]);
    expect(log.after(1, 2).map(({ seq }) => seq)).toEqual([2, log.lines()[2]?.summary.seq]);
  }
});
