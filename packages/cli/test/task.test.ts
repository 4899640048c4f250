import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { fixture, json, tenon } from "./support.ts";

const slow = fixture("slow.mjs");

test.each(bothEras)("a call of %s becomes a task, whose handle later commands use", async (revision) => {
  const flags = ["--revision", revision];
  const task = (await json(["call", slow, "report", "of=milk", "--task", "handle", ...flags])) as {
    id: string;
    status: string;
  };
  expect(task.id.length).toBeGreaterThan(10);
  expect((await tenon(["task", "result", slow, task.id, ...flags])).stdout).toBe("A report of milk.\n");
  expect(await json(["task", "get", slow, task.id, ...flags])).toMatchObject({ status: "completed" });
  const followed = await tenon(["task", "get", slow, task.id, "--follow", "--jsonl", ...flags]);
  expect(JSON.parse(followed.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    status: "completed",
  });
  const text = await tenon(["call", slow, "report", "--task", "handle", ...flags]);
  expect(text.stdout).toMatch(/^\S+ {2}\w+\ntenon task result \S*slow\.mjs \S+\n$/);
});

test.each(bothEras)("--task result waits for the task of a call in %s", async (revision) => {
  const called = await tenon(["call", slow, "report", "of=tea", "--task", "result", "--revision", revision]);
  expect(called).toMatchObject({ code: 0, stdout: "A report of tea.\n" });
});

test("a task is cancelled, and a call that does not become a task is an error of the protocol", async () => {
  const { id } = (await json(["call", slow, "never", "--task", "handle"])) as { id: string };
  expect(await json(["task", "cancel", slow, id])).toMatchObject({ status: "cancelled" });
  const plain = await tenon(["call", slow, "plain", "--task", "handle"]);
  expect(plain).toMatchObject({ code: 5, stdout: "" });
  expect(plain.stderr).toContain("did not make a task of the call of plain");
});
