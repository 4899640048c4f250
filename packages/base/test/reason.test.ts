import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";

import { expect, test } from "vitest";

import { reasonOf } from "../src/index.ts";

test("the reason of an error has the messages of its causes, each once", () => {
  const cause = new Error("connect ECONNREFUSED");
  expect(reasonOf(new Error("fetch failed", { cause }))).toBe("fetch failed connect ECONNREFUSED");
  expect(reasonOf(new Error("Not sent: connect ECONNREFUSED", { cause }))).toBe(
    "Not sent: connect ECONNREFUSED",
  );
  expect(reasonOf("closed")).toBe("closed");
});

test("an error without a message has a reason, too", async () => {
  class TimeoutError extends Error {}
  expect(reasonOf(new TimeoutError())).toBe("TimeoutError");
  expect(reasonOf(new Error("", { cause: new Error("late") }))).toBe("late");

  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const error = await new Promise((resolve) => {
    // A name with two addresses: Node connects to both, and its error has no message.
    connect({
      host: "two.example",
      port,
      lookup: (_host, _options, found) =>
        found(null, [
          { address: "127.0.0.1", family: 4 },
          { address: "127.0.0.2", family: 4 },
        ] as never),
    }).once("error", resolve);
  });
  expect(error).toMatchObject({ name: "AggregateError", message: "" });
  expect(reasonOf(error)).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
});
