import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

test.each([
  ["a live target", [notes]],
  ["a recording", ["tape.jsonl"]],
])("inspect serves the page for %s on this machine, until the interruption", async (_, target) => {
  const cwd = temporaryFolder();
  expect((await tenon(["record", notes, "--out", "tape.jsonl"], { cwd })).code).toBe(0);
  const interruption = new AbortController();
  const { promise, resolve } = deferred<string>();
  const inspecting = tenon(["inspect", ...target, "--json"], {
    cwd,
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && resolve(text),
  });
  const printed = await Promise.race([
    promise,
    inspecting.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  const { url } = JSON.parse(printed) as { url: string };
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\w{64}$/);
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  interruption.abort(new Interrupted());
  await inspecting;
  await expect(fetch(url)).rejects.toThrow();
});

test("inspect refuses a target that does not exist", async () => {
  const refused = await tenon(["inspect", "no-such-target"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("no-such-target");
});
