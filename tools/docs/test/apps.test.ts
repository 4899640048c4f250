import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { connectView } from "@tenon/apps/view";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { expect, test } from "vitest";

import {
  createAppHost,
  createPoll,
  openApproving,
  openedLinks,
  serveProxy,
  streamInput,
  toolsForModel,
  useManager,
} from "./guide/apps.ts";

test("what docs/apps.md shows does what it says", async () => {
  const server = createPoll();
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using client = createAppHost();
  const session = await client.connect(here);
  const tools = await toolsForModel(session);
  expect(tools.map(({ name }) => name)).toEqual(["lunch_poll"]);
  const [own, far] = createInMemoryTransports();
  await server.connect(far);
  const managed = await useManager({ weather: { type: "custom", transport: () => own } });
  expect(managed.names).toEqual(["mcp__weather__lunch_poll"]);
  expect(managed.session?.declaredCapabilities.extensions).toEqual({
    "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] },
  });
  await managed.session?.close();
  const asked: string[] = [];
  const [left, right] = createInMemoryTransports();
  const bridge = await openApproving(session, left, (question) => {
    asked.push(question);
    return Promise.resolve(asked.length < 3);
  });
  const inputs: unknown[] = [];
  const view = await connectView({
    transport: right,
    info: { name: "poll", version: "1.0.0" },
    onPartialInput: (args) => void inputs.push(args),
  });
  expect(await view.callTool({ name: "vote", arguments: { dish: "Pasta" } })).toMatchObject({
    content: [{ text: "Voted for Pasta" }],
  });
  await view.openLink("https://example.com/");
  expect(openedLinks).toEqual(["https://example.com/"]);
  await expect(view.openLink("https://example.org/")).rejects.toMatchObject({ code: "REFUSED" });
  expect(asked[0]).toBe('Allow tools/call with {"name":"vote","arguments":{"dish":"Pasta"}}?');
  streamInput(bridge, '{"city": "Ber');
  await expect.poll(() => inputs).toEqual([{ city: "Ber" }]);
  await bridge.close();
  const proxies = serveProxy().listen(0, "127.0.0.1");
  await once(proxies, "listening");
  const response = await fetch(`http://127.0.0.1:${(proxies.address() as AddressInfo).port}/`);
  expect(response.headers.get("content-security-policy")).toBe("frame-ancestors https://chat.example.com");
  expect(await response.text()).toContain("<script>");
  proxies.close();
  await server.close();
});
