// #region imports
import { Peer } from "@tenon/jsonrpc2";
import { CommandTransport, interruptShutdown } from "@tenon/transports-stdio";
// #endregion imports
import { beforeAll, expect, test } from "vitest";

import { program } from "./programs.ts";

let serverPath = "";

beforeAll(async () => {
  serverPath = await program("greeter");
});

test("the client of the README talks to its server", async () => {
  const log: unknown[] = [];
  const console = { log: (value: unknown) => log.push(value) };
  // #region client
  const transport = new CommandTransport({
    command: "node",
    args: [serverPath],
    stderr: (line) => console.log(line),
  });
  const connection = await transport.connect();
  const peer = new Peer(connection);

  console.log(await peer.call("greet", { name: "you" })); // "hi you"

  await peer.close(); // ends the process and everything it started
  console.log(await connection.exited); // { code: 0, signal: null }
  // #endregion client
  // What the server logs comes through a pipe of its own, before the response or after it.
  expect(new Set(log.slice(0, 2))).toEqual(new Set(["greeting you", "hi you"]));
  expect(log.slice(2)).toEqual([{ code: 0, signal: null }]);
});

test("the ladder can be chosen", () => {
  // #region shutdown
  const impatient = new CommandTransport({
    command: "server",
    shutdown: [
      { action: "close-stdin", waitMs: 100 },
      { action: "SIGKILL", waitMs: 1000 },
    ],
  });
  const interrupting = new CommandTransport({ command: "server", shutdown: interruptShutdown });
  // #endregion shutdown
  expect([impatient, interrupting]).toHaveLength(2);
});
