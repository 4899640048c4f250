import { afterEach, expect, test, vi } from "vitest";

import { CommandTransport, interruptShutdown, type CommandConnection } from "../src/index.ts";
import { script } from "./programs.ts";

afterEach(() => {
  vi.useRealTimers();
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A child that is ended by the preset and does this when it is interrupted; resolves when it is
 * ready.
 */
async function start(
  onInterrupt: string,
): Promise<{ connection: CommandConnection; interrupted: Promise<string> }> {
  let onLine = (_line: string): void => {};
  const connection = await new CommandTransport({
    ...script(
      `process.on("SIGINT", () => { ${onInterrupt} }); setInterval(() => {}, 1000); say({ method: "ready" })`,
    ),
    shutdown: interruptShutdown,
    stderr: (line) => onLine(line),
  }).connect();
  await connection.read();
  const interrupted = new Promise<string>((resolve) => {
    onLine = resolve;
  });
  return { connection, interrupted };
}

test.runIf(process.platform !== "win32")(
  "S-232: a child that ignores SIGINT is killed after 3 s, and not before",
  async () => {
    const { connection, interrupted } = await start(`console.error("ignored")`);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const closed = connection.close();
    expect(await interrupted).toBe("ignored");
    vi.advanceTimersByTime(2_999);
    await turn();
    expect(connection.alive).toBe(true);
    vi.advanceTimersByTime(1);
    expect(await connection.exited).toEqual({ code: null, signal: "SIGKILL" });
    await turn();
    vi.advanceTimersByTime(1_000);
    await closed;
  },
);

test.runIf(process.platform !== "win32")("S-232: a child that obeys SIGINT ends by itself", async () => {
  const { connection } = await start("process.exit(5)");
  await connection.close();
  expect(await connection.exited).toEqual({ code: 5, signal: null });
});
