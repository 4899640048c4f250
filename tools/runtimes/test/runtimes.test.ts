import { describe, expect, test } from "vitest";

import { run, serve } from "./child.ts";
import { outcome, revisions } from "./outcome.ts";
import { runtimes } from "./runtimes.ts";

const here = `${process.platform} ${process.arch}`;
const expected = revisions.map((revision) =>
  outcome(revision, revision === "2025-03-26" ? expect.stringContaining("elicitation") : undefined),
);

describe.each(runtimes)("$name", ({ name, binary, args, server }) => {
  test("serves every era to a client on Node", async ({ skip }) => {
    if (binary === undefined) {
      skip(`There is no ${name} for ${here}`);
      return;
    }
    await using child = await serve(binary, args(server));
    const text = await run(process.execPath, ["client.mjs", child.line, ...revisions]);
    expect(JSON.parse(text)).toEqual(expected);
    expect(child.errors()).not.toMatch(/\berror\b/i);
  });

  test("is a client of every era to a server on Node", async ({ skip }) => {
    if (binary === undefined) {
      skip(`There is no ${name} for ${here}`);
      return;
    }
    await using child = await serve(process.execPath, ["server-node.mjs"]);
    const text = await run(binary, [...args("client.mjs"), child.line, ...revisions]);
    expect(JSON.parse(text)).toEqual(expected);
    expect(child.errors()).toBe("");
  });

  test("connects peers over ports and channels, and ends by itself", async ({ skip }) => {
    if (binary === undefined) {
      skip(`There is no ${name} for ${here}`);
      return;
    }
    expect(JSON.parse(await run(binary, args("messages.mjs")))).toEqual({
      port: [100, true],
      abandoned: "CONNECTION_CLOSED",
      channel: [{ n: 0 }, { n: 1 }],
      lost: "CONNECTION_CLOSED",
    });
  });
});
