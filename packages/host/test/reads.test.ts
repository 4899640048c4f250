import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager, type ManagerOptions } from "../src/index.ts";
import { localServer, until, type LocalServer } from "./fixture.ts";

/** A server whose resource `x://1` answers when it is told to, with the number of the read. */
async function slowReads(options: ManagerOptions = {}) {
  const open: (() => void)[] = [];
  let reads = 0;
  let aborted = 0;
  const a: LocalServer = localServer(
    (server) => {
      server.addResource({ uri: "x://1", name: "one" }, async (_, { signal }) => {
        const read = ++reads;
        signal.addEventListener("abort", () => aborted++);
        await new Promise<void>((resolve) => {
          open.push(resolve);
        });
        return `read ${read}`;
      });
    },
    { server: { revisions: [legacyRevision] } },
  );
  const manager = new Manager({ servers: { a: a.spec }, ...options });
  await manager.connectAll();
  return {
    a,
    manager,
    reads: () => reads,
    aborted: () => aborted,
    async answer(count: number) {
      await until(() => open.length >= count);
      open.splice(0).forEach((resolve) => resolve());
    },
    read: (signal?: AbortSignal) => manager.readResource("a", "x://1", { signal }),
  };
}

const textOf = ({ contents }: { contents: readonly object[] }): unknown => contents[0];

test("simultaneous reads of one resource are one request, also where nothing is kept", async () => {
  for (const cache of [undefined, false] as const) {
    const { manager, read, reads, answer } = await slowReads({ cache });
    const all = [read(), read(), read()];
    await answer(1);
    for (const result of await Promise.all(all)) {
      expect(textOf(result)).toMatchObject({ text: "read 1" });
    }
    expect(reads()).toBe(1);
    const later = read();
    if (cache === false) {
      await answer(1);
    }
    expect(textOf(await later)).toMatchObject({ text: cache === false ? "read 2" : "read 1" });
    await manager.close();
  }
});

test("S-259: who gives up a read leaves it to the others; when nobody waits any more the server hears of it", async () => {
  const { manager, read, reads, aborted, answer } = await slowReads();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = read(one.signal);
  const second = read(two.signal);
  await until(() => reads() === 1);
  one.abort(new Error("not I"));
  await expect(first).rejects.toThrow("not I");
  expect(aborted()).toBe(0);
  await answer(1);
  expect(textOf(await second)).toMatchObject({ text: "read 1" });
  manager.invalidateResource("a", "x://1");
  const alone = new AbortController();
  const third = read(alone.signal);
  await until(() => reads() === 2);
  alone.abort(new Error("nor I"));
  await expect(third).rejects.toThrow("nor I");
  await until(() => aborted() === 1);
  const fourth = read();
  await until(() => reads() === 3);
  await answer(2);
  expect(textOf(await fourth)).toMatchObject({ text: "read 3" });
  await manager.close();
});

test("S-260: what is invalidated while it is on its way is not kept, and who asks afterwards asks the server", async () => {
  const { a, manager, read, reads, answer } = await slowReads();
  await manager.get("a")?.subscribe({ uri: "x://1" });
  const before = read();
  await until(() => reads() === 1);
  a.server.resourceUpdated("x://1");
  const session = manager.get("a");
  // What was sent before an answer is heard before it.
  await session?.ping();
  const after = read();
  await answer(2);
  expect(textOf(await before)).toMatchObject({ text: "read 1" });
  expect(textOf(await after)).toMatchObject({ text: "read 2" });
  expect(textOf(await read())).toMatchObject({ text: "read 2" });
  expect(reads()).toBe(2);
  await manager.close();
});

test("reads for different principals are requests of their own, and neither is given to the other", async () => {
  let principal = "ann";
  const { manager, read, reads, answer } = await slowReads({ principal: () => principal });
  const ann = read();
  principal = "bob";
  const bob = read();
  await answer(2);
  expect(textOf(await ann)).toMatchObject({ text: "read 1" });
  expect(textOf(await bob)).toMatchObject({ text: "read 2" });
  expect(textOf(await read())).toMatchObject({ text: "read 2" });
  expect(reads()).toBe(2);
  await manager.close();
});

test("a read that fails is not kept, and fails for all who wait for it", async () => {
  let reads = 0;
  const a = localServer((server) => {
    server.addResource({ uri: "x://1", name: "one" }, () => {
      reads++;
      throw new Error("no");
    });
  });
  await using manager = new Manager({ servers: { a: a.spec } });
  await manager.connectAll();
  const outcomes = await Promise.allSettled([1, 2].map(() => manager.readResource("a", "x://1")));
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { code: "REMOTE_ERROR" } },
    { status: "rejected", reason: { code: "REMOTE_ERROR" } },
  ]);
  expect(reads).toBe(1);
  await expect(manager.readResource("a", "x://1")).rejects.toMatchObject({ code: "REMOTE_ERROR" });
  expect(reads).toBe(2);
  expect(manager.cache?.size).toBe(0);
});
