import { getEventListeners } from "node:events";

import { isRpcError } from "@tenon/jsonrpc2";
import { Client, type ClientOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager, type HostHandlers, type Policy } from "../src/index.ts";
import { localServer, turns, until, type LocalServer } from "./fixture.ts";

/** A server whose tools ask the client for something, and give what came of it. */
function asking(revision: Revision): LocalServer {
  return localServer(
    (server) => {
      server.addTool({ name: "sample" }, async (_, context) => {
        const { content } = await context.sample({
          maxTokens: 5,
          messages: [{ role: "user", content: { type: "text", text: "Hello?" } }],
        });
        return "text" in content ? content.text : "";
      });
      server.addTool({ name: "roots" }, async (_, context) =>
        (await context.listRoots()).map(({ uri }) => uri).join(),
      );
      server.addTool({ name: "elicit" }, async (_, context) => {
        const { action } = await context.elicit({
          message: "Sure?",
          requestedSchema: { type: "object", properties: {} },
        });
        return action;
      });
    },
    { server: { revisions: [revision] } },
  );
}

async function hosting(revision: Revision, handlers: HostHandlers, policies: Record<string, Policy> = {}) {
  const specs = ["ann", "bob", "eve"].map((name) => [
    name,
    { ...asking(revision).spec, policy: policies[name] },
  ]);
  const manager = new Manager({ servers: Object.fromEntries(specs), handlers });
  await manager.connectAll();
  const ask = async (server: string, tool: string): Promise<unknown> => {
    const { content, isError } = await manager.callTool(server, tool);
    return isError === true ? "refused" : content[0];
  };
  return { manager, ask };
}

const greet: NonNullable<HostHandlers["sampling"]> = {
  createMessage: async ({ maxTokens }, { server }) => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: `${server} may have ${maxTokens} tokens` },
  }),
};

test.each(bothEras)(
  "the same handlers work in a client and in a manager, where they also learn which server asks (%s)",
  async (revision) => {
    const servers: unknown[] = [];
    const handlers: Pick<ClientOptions, "elicitation" | "sampling" | "roots"> = {
      elicitation: {
        form: ({ message }, request) => {
          servers.push("server" in request ? request.server : undefined);
          expect(request.with({ params: { a: 1 } })).toMatchObject({
            params: { a: 1 },
            method: "elicitation/create",
          });
          return { action: message === "Sure?" ? "accept" : "decline", content: {} };
        },
      },
      sampling: {
        createMessage: ({ maxTokens }, { signal }) => ({
          role: "assistant",
          model: "m",
          content: { type: "text", text: `${maxTokens} tokens, aborted: ${signal.aborted}` },
        }),
      },
      roots: [{ uri: "file:///data" }],
    };
    const { manager, ask } = await hosting(revision, handlers);
    const { transport } = asking(revision).spec;
    await using client = new Client({ name: "plain", version: "1" }, handlers);
    const session = await client.connect(transport());
    for (const tool of ["elicit", "sample", "roots"]) {
      const { content } = await session.callTool({ name: tool });
      expect(content[0], tool).toEqual(await ask("ann", tool));
    }
    expect(servers).toEqual([undefined, "ann"]);
    await manager.close();
  },
);

/** The tool fails, or the request does: either way nobody was asked. */
const outcome = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: { code?: unknown; cause?: unknown }) =>
    error.code === "REMOTE_ERROR" && isRpcError(error.cause) ? "refused" : error,
  );

test.each(bothEras)(
  "a server that wants the model is named to the handler; one that may not is refused (%s)",
  async (revision) => {
    const { manager, ask } = await hosting(revision, { sampling: greet }, { eve: { sampling: false } });
    expect(await ask("ann", "sample")).toEqual({ type: "text", text: "ann may have 5 tokens" });
    expect(await ask("bob", "sample")).toEqual({ type: "text", text: "bob may have 5 tokens" });
    expect(manager.get("ann")?.declaredCapabilities).toEqual({ sampling: {} });
    expect(manager.get("eve")?.declaredCapabilities).toEqual({});
    expect(await outcome(ask("eve", "sample"))).toBe("refused");
    await manager.close();
  },
);

test.each(bothEras)(
  "each server is told its own roots, and one that may not know any is told none (%s)",
  async (revision) => {
    const named: string[] = [];
    const { manager, ask } = await hosting(
      revision,
      {
        roots: ({ server }) => {
          named.push(server);
          return [{ uri: `file:///data/${server}` }];
        },
      },
      { eve: { roots: false } },
    );
    expect(await ask("ann", "roots")).toEqual({ type: "text", text: "file:///data/ann" });
    expect(await ask("bob", "roots")).toEqual({ type: "text", text: "file:///data/bob" });
    expect(await outcome(ask("eve", "roots"))).toBe("refused");
    expect(named.toSorted()).toEqual(["ann", "bob"]);
    await manager.close();
  },
);

test.each(bothEras)(
  "without handlers everything that a server asks is denied, and nothing is declared (%s)",
  async (revision) => {
    const { manager, ask } = await hosting(revision, {});
    for (const tool of ["sample", "roots", "elicit"]) {
      expect(await outcome(ask("ann", tool))).toBe("refused");
    }
    expect(manager.get("ann")?.declaredCapabilities).toEqual({});
    await manager.close();
  },
);

test.each(bothEras)(
  "a handler that refuses makes the call fail, and no other server hears of it (%s)",
  async (revision) => {
    const { manager, ask } = await hosting(revision, {
      sampling: {
        createMessage: (params, request) =>
          request.server === "ann"
            ? Promise.reject(new Error("the user said no"))
            : greet.createMessage(params, request),
      },
    });
    const refused = await ask("ann", "sample").catch((error: unknown) => error);
    expect(refused === "refused" || refused instanceof Error).toBe(true);
    expect(await ask("bob", "sample")).toEqual({ type: "text", text: "bob may have 5 tokens" });
    await manager.close();
  },
);

test("one dialog of a server is shown at a time, those of others meanwhile; beyond 16 that wait the rest is cancelled", async () => {
  const shown: string[] = [];
  const answers = new Map<string, (() => void)[]>();
  const { manager, ask } = await hosting(
    legacyRevision,
    {
      elicitation: {
        form: async (_, { server }) => {
          shown.push(server);
          await new Promise<void>((resolve) => {
            answers.set(server, [...(answers.get(server) ?? []), resolve]);
          });
          return { action: "accept", content: {} };
        },
      },
    },
    { ann: { limits: { maxInFlight: 100 } } },
  );
  const anns = Array.from({ length: 20 }, () => ask("ann", "elicit"));
  const bob = ask("bob", "elicit");
  await until(() => shown.length === 2);
  expect(shown.toSorted()).toEqual(["ann", "bob"]);
  answers.get("bob")?.shift()?.();
  expect(await bob).toEqual({ type: "text", text: "accept" });
  const actions: unknown[] = [];
  anns.forEach((asked) => void asked.then((answer) => actions.push(Object(answer)["text"])));
  await until(() => actions.length === 3);
  expect(actions).toEqual(["cancel", "cancel", "cancel"]);
  for (let answered = 1; answered <= 17; answered++) {
    await until(() => answers.get("ann")?.length === 1);
    expect(shown.filter((server) => server === "ann")).toHaveLength(answered);
    answers.get("ann")?.shift()?.();
  }
  await Promise.all(anns);
  expect(actions.filter((action) => action === "accept")).toHaveLength(17);
  await manager.close();
});

test.each(bothEras)(
  "a server of %s that asks the model a hundred things at once has as many answered at a time as its policy allows calls, and waits on one listener",
  async (revision) => {
    let running = 0;
    let most = 0;
    let asked = 0;
    let mostListeners = 0;
    const flooding = localServer(
      (server) => {
        server.addTool({ name: "flood" }, async (_, context) => {
          const question = { maxTokens: 5, messages: [] };
          const answers = await Promise.allSettled(
            Array.from({ length: 100 }, () => context.sample(question)),
          );
          return String(answers.filter(({ status }) => status === "fulfilled").length);
        });
      },
      {
        server: { revisions: [revision], limits: { maxInFlight: 200 } },
        policy: { limits: { maxInFlight: 3 } },
      },
    );
    await using manager = new Manager({
      servers: { flooding: flooding.spec },
      handlers: {
        sampling: {
          createMessage: async (_, { signal }) => {
            asked++;
            mostListeners = Math.max(mostListeners, getEventListeners(signal, "abort").length);
            running++;
            most = Math.max(most, running);
            await turns(2);
            running--;
            return { role: "assistant", model: "m", content: { type: "text", text: "ok" } };
          },
        },
      },
    });
    await manager.connectAll();
    const { content } = await manager.callTool("flooding", "flood");
    expect(content).toEqual([{ type: "text", text: "100" }]);
    expect(asked).toBe(100);
    expect(most).toBe(3);
    // Node.js warns of a leak beyond ten.
    expect(mostListeners).toBeLessThanOrEqual(10);
  },
);
