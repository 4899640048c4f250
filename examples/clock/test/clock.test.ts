// #region test
import { pair } from "@tenon/testing";
import { expect, test } from "vitest";

import { server } from "../src/clock.ts";

test.each(["2025-11-25", "2026-07-28"] as const)("clients of %s read the time", async (revision) => {
  await using connected = await pair(server, {
    revision,
    client: { elicitation: { form: () => ({ action: "accept", content: { zone: "Europe/Oslo" } }) } },
  });
  const { session } = connected;
  const { structuredContent } = await session.callTool({
    name: "time_in",
    arguments: { zone: "Asia/Tokyo" },
  });
  expect(structuredContent).toMatchObject({ zone: "Asia/Tokyo" });
  const unknown = await session.callTool({ name: "time_in", arguments: { zone: "Mars" } });
  expect(unknown.isError).toBe(true);
  expect(await session.callTool({ name: "my_time" })).not.toHaveProperty("isError");
});
// #endregion test
