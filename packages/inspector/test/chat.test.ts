import { Server, type ClientSession } from "@tenon/mcp";
import { Client } from "@tenon/mcp/client";
import { deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { createChat, type Chat } from "../src/chat/chat.lazy.ts";
import type { ModelMessage, ModelResponse } from "../src/chat/model.ts";
import type { LiveSource } from "../src/engine/source.ts";
import { logIn } from "./support/browser.ts";

const usage = { input: 0, output: 0 };
const call = { id: "1", name: "read", arguments: {} };

async function connect(): Promise<ClientSession> {
  const server = new Server({ name: "files", version: "1.0.0" });
  server.addTool({ name: "read" }, () => "text");
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return new Client({ name: "chat", version: "1.0.0" }).connect(here);
}

/** A chat whose calls are all allowed. */
function chatOf(
  session: ClientSession,
  respond: (messages: readonly ModelMessage[]) => ModelResponse | Promise<ModelResponse>,
  text = "",
): Chat {
  const chat: Chat = createChat({
    model: { name: "m", respond: async ({ messages }) => respond(messages) },
    session: () => session,
    callTool: () => Promise.resolve({ content: [{ type: "text", text }] }),
    onChange() {
      for (const message of chat.state.messages) {
        const asking = message.role === "assistant" ? message.calls : [];
        asking
          .filter(({ phase }) => phase === "asking")
          .forEach(({ id }) => queueMicrotask(() => chat.approve(id, "always")));
      }
    },
  });
  return chat;
}

test("a conversation ends at its limit, however many calls one message causes", async () => {
  await using session = await connect();
  let sent = 0;
  const chat = chatOf(
    session,
    (messages) => {
      sent = Math.max(sent, JSON.stringify(messages).length);
      return {
        text: "",
        usage,
        calls: Array.from({ length: 32 }, (_, index) => ({ ...call, id: `${index}` })),
      };
    },
    "x".repeat(199_000),
  );
  await chat.say("read everything");
  expect(chat.state.reason).toContain("at most 2000000 characters");
  expect(sent).toBeLessThan(2_000_000);
  await expect(chat.say("x".repeat(2_000_000))).rejects.toThrow("start a new chat");
});

test("a conversation that was replaced leaves nothing in the new one", async () => {
  await using session = await connect();
  const [asked, answered] = [deferred(), deferred()];
  const chat = chatOf(session, async () => {
    asked.resolve();
    await answered.promise;
    throw new Error("the old one failed");
  });
  const said = chat.say("first");
  await asked.promise;
  chat.forget();
  answered.resolve();
  await said;
  expect(chat.state).toEqual({ model: "m", messages: [], isBusy: false, usage });
});

test("what a person has allowed at a server holds for no other server under the same entry", async () => {
  const called: string[] = [];
  let turn = 0;
  const source = async (name: string): Promise<LiveSource> => {
    const server = new Server({ name, version: "1.0.0" });
    server.addTool({ name: "read" }, () => void called.push(name));
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    return { kind: "live", label: name, transport: here, address: { url: `https://${name}.example/mcp` } };
  };
  const names = ["second", "third"];
  const browser = await logIn({
    source: await source("first"),
    servers: {
      list: () => Promise.resolve([]),
      open: () => source(names.shift() ?? "none"),
    },
    model: {
      name: "m",
      respond: () => Promise.resolve({ text: "", usage, calls: turn++ % 2 === 0 ? [call] : [] }),
    },
  });
  const { server } = (await browser.act({ do: "open", to: { id: "files" } })) as { server: string };
  const say = async (text: string): Promise<string> => {
    void browser.act({ do: "say", text, server }).catch(() => {});
    const { chat } = await browser.state(
      (state) =>
        state.chat?.messages.some(
          (one) => one.role === "assistant" && one.calls.some(({ phase }) => phase === "asking"),
        ) === true,
      server,
    );
    const messages = chat?.messages ?? [];
    return messages.flatMap((one) => (one.role === "assistant" ? one.calls : [])).at(-1)?.id ?? "";
  };
  await browser.state(({ source: { phase } }) => phase === "open", server);
  await browser.act({ do: "approve", call: await say("one"), approval: "always", server });
  await browser.state(({ chat }) => chat?.isBusy === false, server);
  expect(called).toEqual(["second"]);

  await browser.act({ do: "disconnect", server });
  await browser.state(({ source: { phase } }) => phase === "closed", server);
  await browser.act({ do: "connect", server });
  const { chat } = await browser.state(
    ({ source: { label, phase } }) => label === "third" && phase === "open",
    server,
  );
  expect(chat?.messages ?? []).toEqual([]);
  await browser.act({ do: "approve", call: await say("two"), approval: "refuse", server });
  await browser.state(({ chat: now }) => now?.isBusy === false, server);
  expect(called).toEqual(["second"]);
  await browser.inspector.close();
});

test("a server that is read while the inspector closes is not connected", async () => {
  const [reading, read] = [deferred(), deferred()];
  let connected = 0;
  const live = { kind: "live", label: "memory" } as const;
  const [here, there] = createInMemoryTransports();
  await new Server({ name: "a", version: "1.0.0" }).connect(there);
  const browser = await logIn({
    source: { ...live, transport: here },
    servers: {
      list: () => Promise.resolve([]),
      async open() {
        reading.resolve();
        await read.promise;
        return {
          ...live,
          transport: {
            connect() {
              connected++;
              return Promise.reject(new Error("closed"));
            },
          },
        };
      },
    },
  });
  const opening = browser.act({ do: "open", to: { id: "b" } }).catch(() => "refused");
  await reading.promise;
  const closing = browser.inspector.close();
  read.resolve();
  await closing;
  expect(await opening).toBe("refused");
  expect(connected).toBe(0);
});
