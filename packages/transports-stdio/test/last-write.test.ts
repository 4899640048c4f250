import { PassThrough } from "node:stream";

import { isLocalError } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { CommandTransport, nodeLauncher, type CommandConnection, type CommandOptions } from "../src/index.ts";
import { script } from "./programs.ts";

const onPosix = process.platform !== "win32";

const start = (text: string, options?: Partial<CommandOptions>): Promise<CommandConnection> =>
  new CommandTransport({ ...script(text), stderr: "ignore", ...options }).connect();

test("a write after the end of the program says how it ended", async () => {
  await using connection = await new CommandTransport({
    command: process.execPath,
    args: ["-e", "process.exit(3)"],
  }).connect();
  await connection.exited;
  await expect(connection.write({ jsonrpc: "2.0", method: "x" })).rejects.toMatchObject({
    code: "CONNECTION_CLOSED",
    message: expect.stringContaining("ended with code 3") as string,
  });
});

test("a write after the end of the program quotes its last words, even if they arrive later than its end", async () => {
  const stderr = new PassThrough();
  await using connection = await start("process.exit(3)", {
    launcher: { launch: async (request) => ({ ...(await nodeLauncher.launch(request)), stderr }) },
  });
  await connection.exited;
  const written = connection.write({ jsonrpc: "2.0", method: "x" });
  stderr.end("no database\n");
  await expect(written).rejects.toThrow("ended with code 3. Its last words:\nno database");
});

/** Starts a program that reads nothing and lives on, and writes until a write fails. */
async function startDeaf(options?: Partial<CommandOptions>) {
  const connection = await start(
    `require("node:fs").closeSync(0);
     console.log('{"jsonrpc":"2.0","method":"deaf"}');
     setInterval(() => {}, 1000);`,
    { shutdown: [{ action: "SIGTERM", waitMs: 5000 }], ...options },
  );
  await connection.read();
  const message = { jsonrpc: "2.0", method: "x" } as const;
  for (;;) {
    const written = connection.write(message);
    const isAccepted = await Promise.race([
      written.then(
        () => true,
        () => false,
      ),
      new Promise<boolean>((resolve) => {
        setImmediate(() => setImmediate(() => resolve(false)));
      }),
    ]);
    if (!isAccepted) {
      return { connection, message, refused: written };
    }
  }
}

test.runIf(onPosix)(
  "a write that fails before close does not blame the program for the signal of close",
  async () => {
    const { connection, refused } = await startDeaf();
    const reason = refused.catch((error: unknown) => error);
    await connection.close();
    const error = await reason;
    expect(isLocalError(error, "CONNECTION_CLOSED") && error.message).not.toContain("SIGTERM");
  },
);

test.runIf(onPosix)(
  "writes to a program that has closed its input and lives on wait once for its end",
  async () => {
    let waits = 0;
    const { connection, message, refused } = await startDeaf({
      launcher: {
        async launch(request) {
          const child = await nodeLauncher.launch(request);
          const ended = child.exited;
          const counted: typeof ended.then = (...handlers) => {
            waits++;
            return ended.then(...handlers);
          };
          return { ...child, exited: Object.assign((async () => ended)(), { then: counted }) };
        },
      },
    });
    await expect(refused).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    const before = waits;
    const writes = await Promise.allSettled(Array.from({ length: 100 }, () => connection.write(message)));
    expect(new Set(writes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(waits).toBe(before);
    await connection.close();
  },
);
