import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { startProxy } from "@tenon/test-support/proxy";
import { hasRedis, startRedis } from "@tenon/test-support/redis";
import { expect, test } from "vitest";

/** Runs the program, and checks what it prints. */
async function check(url: string | undefined): Promise<void> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, "../dist/demo.js")],
    { env: { ...process.env, REDIS_URL: url } },
  );
  expect(stdout).toContain("One session was served by Alpha, Beta, Gamma.");
  const question =
    /(\w+) asks: which city\? The response is sent to (\w+)\.\n\1 booked Oslo\./.exec(stdout) ?? [];
  expect(question[1]).toBeDefined();
  expect(question[2]).not.toBe(question[1]);
  expect(stdout).toMatch(/was killed\. Its running call: .*has ended/);
  expect(stdout).toMatch(/The session continues at (Alpha|Beta|Gamma)\./);
  // One trace of four spans in two processes, and the trace of the call that was lost.
  expect(stdout).toMatch(
    /traveller sends tools\/call book\n {2}(\w+) receives tools\/call book\n {4}\1 sends elicitation\/create\n {6}traveller receives elicitation\/create\n/,
  );
  expect(stdout).toMatch(/\ntraveller sends tools\/call work \(failed: .*\)\n$/);
}

test("a question of one node is answered at another, and the session survives a node that is killed", async () => {
  await check(undefined);
});

test.skipIf(!hasRedis)("the nodes may share Redis (skipped without Redis)", async () => {
  await using redis = await startRedis();
  await using way = await startProxy(redis.target);
  await check(`redis://127.0.0.1:${way.port}`);
});
