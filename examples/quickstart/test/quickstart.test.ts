import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");

test("the quick start of the README runs: the client starts the server, lists its tool and calls it", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(dist, "client.js"),
    join(dist, "server.js"),
  ]);
  expect(stdout).toBe("greet\n[ { type: 'text', text: 'Hello, you!' } ]\n");
});
