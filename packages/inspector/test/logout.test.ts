import { Server } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { logIn } from "./support/browser.ts";

test("a logout waits for the login that it ends, and forgets the tokens that come late", async () => {
  const [begun, aborted, mayStore] = [deferred(), deferred(), deferred()];
  let tokens: string | undefined;
  const browser = await logIn({
    source: {
      kind: "live",
      label: "notes",
      transport: { connect: () => Promise.reject(new Error("There is no server.")) },
      async login({ signal }) {
        signal.addEventListener("abort", () => aborted.resolve());
        begun.resolve();
        await mayStore.promise;
        tokens = "late";
        signal.throwIfAborted();
      },
      logout() {
        tokens = undefined;
        return Promise.resolve();
      },
    },
  });
  await browser.state(({ source }) => source.phase === "failed");
  await browser.act({ do: "login" });
  await begun.promise;
  const loggedOut = browser.act({ do: "logout" });
  await aborted.promise;
  await expect(browser.act({ do: "login" })).rejects.toThrow("Cannot log in during a logout");
  mayStore.resolve();
  await loggedOut;
  expect(tokens).toBeUndefined();
  await browser.inspector.close();
});

test.each([false, true])(
  "no session is opened during a logout, and one is opened after it (server of the list: %s)",
  async (isListed) => {
    const server = new Server({ name: "notes", version: "1.0.0" });
    const [begun, mayEnd] = [deferred(), deferred()];
    let connections = 0;
    const source = {
      kind: "live",
      label: "notes",
      transport: {
        async connect(options?: object) {
          connections++;
          const [here, there] = createInMemoryTransports();
          await server.connect(there);
          return here.connect(options);
        },
      },
      logout() {
        begun.resolve();
        return mayEnd.promise;
      },
    } as const;
    const browser = await logIn({
      source: isListed
        ? { kind: "live", label: "first", transport: { connect: () => Promise.reject(new Error("down")) } }
        : source,
      servers: { list: () => Promise.resolve([]), open: () => Promise.resolve(source) },
    });
    const id = isListed
      ? ((await browser.act({ do: "open", to: { id: "notes" } })) as { server: string }).server
      : undefined;
    const first = await browser.state(({ source: { phase } }) => phase === "open", id);
    const loggedOut = browser.act({ do: "logout", server: id });
    await begun.promise;
    await browser.act({ do: "connect", server: id });
    expect(connections).toBe(1);
    mayEnd.resolve();
    await loggedOut;
    await browser.state(
      ({ source: { phase, session } }) => phase === "open" && session !== first.source.session,
      id,
    );
    expect(connections).toBe(2);
    await browser.inspector.close();
  },
);

test("a server that is read again is not connected to during a logout that has begun since", async () => {
  const [reading, mayRead, begun, mayEnd] = [deferred(), deferred(), deferred(), deferred()];
  let connections = 0;
  const down = { connect: () => Promise.reject(new Error("down")) };
  const source = {
    kind: "live",
    label: "notes",
    transport: {
      connect() {
        connections++;
        return down.connect();
      },
    },
    logout() {
      begun.resolve();
      return mayEnd.promise;
    },
  } as const;
  let reads = 0;
  const browser = await logIn({
    source: { kind: "live", label: "first", transport: down },
    servers: {
      list: () => Promise.resolve([]),
      async open() {
        if (reads++ > 0) {
          reading.resolve();
          await mayRead.promise;
        }
        return source;
      },
    },
  });
  const { server } = (await browser.act({ do: "open", to: { id: "notes" } })) as { server: string };
  await browser.state(({ source: { phase } }) => phase === "failed", server);
  const connected = browser.act({ do: "connect", server });
  await reading.promise;
  const loggedOut = browser.act({ do: "logout", server });
  await begun.promise;
  mayRead.resolve();
  await connected;
  expect(connections).toBe(1);
  mayEnd.resolve();
  await loggedOut;
  expect(connections).toBe(2);
  await browser.inspector.close();
});
