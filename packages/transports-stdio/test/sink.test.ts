import { Writable } from "node:stream";

import { isLocalError } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { createSink } from "../src/sink.ts";

test("a write that waits is refused, not accepted, when the other side turns out to be gone", async () => {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let finish: (error: Error) => void = () => {};
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      finish = done;
      begin();
    },
  });
  const sink = createSink(stream, { maxBufferedBytes: 10 });
  const written = sink.write("x".repeat(100)).then(
    () => "accepted",
    (error: unknown) => error,
  );
  await begun;
  finish(new Error("EPIPE"));
  expect(isLocalError(await written, "CONNECTION_CLOSED")).toBe(true);
});
