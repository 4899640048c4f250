import * as fc from "fast-check";
import { expect, test } from "vitest";

import { load } from "../src/suites/http/load/load.ts";
import { AnswerReader } from "../src/suites/http/load/response.ts";
import { startServer } from "../src/suites/http/server-process.ts";

const answers = {
  length: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  chunks: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
} as const;

test.each(Object.entries(answers))("an answer by %s is read however its bytes are cut", (_, text) => {
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 })), (cuts) => {
      const reader = new AnswerReader();
      const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
      const taken = pieces.map((piece) => reader.take(piece));
      expect(taken.slice(0, -1).every((answer) => answer === undefined)).toBe(true);
      expect(taken.at(-1)).toMatchObject({ status: 200 });
      expect(taken.at(-1)?.body.toString()).toBe("hello");
    }),
  );
});

test("a server under load is measured, in every mode that it serves", async () => {
  await using server = await startServer("raw");
  for (const mode of ["modern", "stateful", "stateless"] as const) {
    const metrics = await load(server, { mode, connections: 3, windowMs: 50 });
    expect(metrics["callsPerSecond"]).toBeGreaterThan(0);
    expect(metrics["p99Ns"]).toBeGreaterThanOrEqual(metrics["p50Ns"] ?? Number.NaN);
  }
  await server.close();
  await expect(load(server, { mode: "modern", connections: 1 })).rejects.toThrow(/ECONNREFUSED/);
});
