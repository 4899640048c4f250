import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { limitLines } from "@tenon/operations";
import { expect, test } from "vitest";

test("lines of one kind above the limit become one line with their number, and other kinds are written", () => {
  const lines: { readonly level: string; readonly message: string; readonly fields: object }[] = [];
  const to = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  const clock = createVirtualClock();
  const logger = limitLines(
    { info: to("info"), warn: to("warn"), error: to("error") },
    { limits: { maxLines: 2 }, clock },
  );
  const outage = (): void => logger.error({ err: new Error("ECONNREFUSED") }, "The store failed.");
  for (let count = 0; count < 50; count++) {
    outage();
  }
  logger.error({ err: new Error("EPIPE") }, "The store failed.");
  logger.info({}, "ok");
  expect(lines).toHaveLength(4);
  clock.advance(10_000);
  expect(lines[4]).toEqual({
    level: "error",
    message: "The store failed.",
    fields: { suppressed: 48, intervalMs: 10_000 },
  });
  outage();
  expect(lines).toHaveLength(6);
});

test("kinds beyond the limit of kinds share one count, so that no flood fills the memory or the log", () => {
  let written = 0;
  const add = (): void => void written++;
  const clock = createVirtualClock();
  const logger = limitLines({ info: add, warn: add, error: add }, { limits: { maxLines: 1 }, clock });
  for (let count = 0; count < 5_000; count++) {
    logger.warn({}, `kind ${count}`);
  }
  expect(written).toBe(1_001);
  clock.advance(10_000);
  expect(written).toBe(1_002);
});

test("a logger that throws at the end of an interval is an error of onError, not of the process", () => {
  const clock = createVirtualClock();
  const errors: unknown[] = [];
  let isFull = false;
  const write = (): void => {
    if (isFull) {
      throw new Error("ENOSPC");
    }
  };
  const logger = limitLines(
    { info: write, warn: write, error: write },
    { limits: { maxLines: 1 }, clock, onError: (error) => void errors.push(error) },
  );
  logger.info({}, "x");
  logger.info({}, "x");
  isFull = true;
  clock.advance(10_000);
  expect(errors).toEqual([new Error("ENOSPC")]);
});

test("close reports the lines of the present intervals once", async () => {
  const clock = createVirtualClock();
  const lines: object[] = [];
  const write = (fields: object): void => void lines.push(fields);
  const rest = { suppressed: 2, intervalMs: 10_000 };
  {
    await using logger = limitLines(
      { info: write, warn: write, error: write },
      { limits: { maxLines: 1 }, clock },
    );
    for (const id of [1, 2, 3]) {
      logger.info({ id }, "x");
    }
    await logger.close();
    expect(lines).toEqual([{ id: 1 }, rest]);
    logger.info({ id: 4 }, "x");
    clock.advance(10_000);
  }
  expect(lines).toEqual([{ id: 1 }, rest, { id: 4 }]);
});

test("options that make no sense are refused", () => {
  expect(() => limitLines(console, { limits: { maxLines: 0 } })).toThrow("maxLines");
  expect(() => limitLines(console, { most: 1 } as never)).toThrow(TypeError);
});
