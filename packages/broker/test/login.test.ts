import { expect, test } from "vitest";

import { openBrowser } from "./browser.ts";
import { callTool, clientAuth, startProtected } from "./support.ts";

test("a client registers, a user logs in and allows it, and a guarded tool knows the user", async () => {
  await using server = await startProtected();
  const browser = openBrowser();
  await using auth = clientAuth(server.resource, browser);
  const result = JSON.parse(await callTool(server.resource, auth)) as Record<string, unknown>;
  expect(result).toMatchObject({ subject: "development:alice", email: "alice@example.com" });
  expect(server.errors).toEqual([]);
});
