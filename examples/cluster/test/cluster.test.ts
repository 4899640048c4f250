import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { findProgram } from "@tenon/test-support/programs";
import { expect, test } from "vitest";

const hasRedis = findProgram("redis-server") !== undefined || process.env["REDIS_URL"] !== undefined;

test.skipIf(!hasRedis)(
  "a question of one process is answered at another, and the session survives a process that is killed (skipped without Redis)",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "../dist/demo.js"),
    ]);
    expect(stdout).toContain("One session was served by Alpha, Beta, Gamma.");
    expect(stdout).toMatch(/(\w+) asks: which city\?[^]*\1 booked Oslo/);
    expect(stdout).toMatch(/was killed\. Its running call: .*has ended/);
    expect(stdout).toContain("The session continues.");
  },
);
