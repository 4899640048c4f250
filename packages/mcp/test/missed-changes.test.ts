import type { Request } from "@tenon/jsonrpc2";
import { inbox } from "@tenon/test-support";
import { expect, test } from "vitest";

import { acknowledgment, connectScripted } from "./scripted-server.ts";

const uri = "notes://1";
const honoured = { resourceSubscriptions: [uri] };

/** Of results that stay fresh for longer than a test. */
const cached = { resultType: "complete", ttlMs: 3_600_000, cacheScope: "private" };

/** The request of a call. Fails if the call has got a cached result instead. */
async function requestOf(listens: { take(): Promise<Request> }, call: Promise<object>): Promise<Request> {
  const request = await Promise.race([listens.take(), call]);
  expect(request).toHaveProperty("method");
  return request as Request;
}

test("lists are asked for again when the handlers' listen has ended, and once more when it is open again (R-540)", async () => {
  const heard = inbox<string>();
  const { listens, write, session, clock } = await connectScripted({
    onToolsChanged: () => heard.put("tools"),
  });
  const list = async (): Promise<void> => {
    const listing = session.listTools();
    const { id } = await requestOf(listens, listing);
    await write({ id, result: { ...cached, tools: [] } });
    await listing;
  };
  await list();
  await session.listTools();
  await write({ id: 2, result: {} });
  await session.ping();
  await list();
  await session.listTools();
  clock.advance(500);
  await write(acknowledgment(await listens.take(), { toolsListChanged: true }));
  expect(await heard.take()).toBe("tools");
  await list();
  expect(listens.waiting).toEqual([]);
  await session.close();
});

test("lists that were cached between two listens are asked for again if the second is refused", async () => {
  const heard = inbox<string>();
  const { listens, write, session, clock } = await connectScripted({
    onToolsChanged: () => heard.put("tools"),
    onError: () => heard.put("lost"),
  });
  await write({ id: 2, result: {} });
  await session.ping();
  for (const event of ["tools", "lost"]) {
    const listing = session.listTools();
    const { id } = await requestOf(listens, listing);
    await write({ id, result: { ...cached, tools: [] } });
    await listing;
    if (event === "tools") {
      clock.advance(500);
      await write({ id: (await listens.take()).id, error: { code: -32_601, message: "no more" } });
    }
    expect(await heard.take()).toBe(event);
  }
  await session.close();
});

test("a resource is read again after the listen of its watch was interrupted (R-540)", async () => {
  const { listens, write, session, clock } = await connectScripted();
  const read = async (text: string): Promise<void> => {
    const reading = session.readResource({ uri });
    const { id } = await requestOf(listens, reading);
    await write({ id, result: { ...cached, contents: [{ uri, text }] } });
    expect((await reading).contents).toEqual([{ uri, text }]);
  };
  const watch = session.watch(uri);
  const first = await listens.take();
  await write(acknowledgment(first, honoured));
  await watch.ready;
  await read("before");
  await session.readResource({ uri });
  await write({ id: first.id, result: {} });
  await session.ping();
  await read("meanwhile");
  clock.advance(500);
  await write(acknowledgment(await listens.take(), honoured));
  expect(await watch.next()).toMatchObject({ value: { uri } });
  await read("after");
  await session.close();
});
