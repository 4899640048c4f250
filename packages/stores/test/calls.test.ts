import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";

import { expect, test } from "vitest";

import { createStoreCalls } from "../src/index.ts";

test("the failure of a database names the error of its client if that has no message", async () => {
  const calls = createStoreCalls("PostgreSQL");
  class TimeoutError extends Error {}
  await expect(calls.run(() => Promise.reject(new TimeoutError()))).rejects.toThrow(
    "PostgreSQL failed: TimeoutError",
  );

  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const refused = new Promise((_resolve, reject) => {
    // A name with two addresses: Node connects to both, and its error has no message.
    connect({
      host: "two.example",
      port,
      lookup: (_host, _options, found) =>
        found(null, [
          { address: "127.0.0.1", family: 4 },
          { address: "127.0.0.2", family: 4 },
        ] as never),
    }).once("error", reject);
  });
  await expect(calls.run(() => refused)).rejects.toThrow("PostgreSQL failed: AggregateError");
});
