import { fork } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

import { opening } from "./opening.ts";
import { programOf } from "./stdio.ts";

/** How many notifications of about 1 KB a server is made to send. */
export const flood = 100_000;

/** What became of a server whose reader stopped. */
export interface SlowReading {
  /** Notifications that were accepted while nobody read. */
  readonly sentMeanwhile: number;
  /** Bytes that the server held for its reader then. */
  readonly heldBytes: number;
  /** Growth of its resident memory, from before the first notification to the highest. */
  readonly grownBytes: number;
}

interface State {
  readonly sent: number;
  readonly heldBytes: number;
  readonly maxRssBytes: number;
}

const call = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "flood", arguments: { count: flood }, _meta: { progressToken: 7 } },
};

/**
 * Has a server on stdio send {@link flood} notifications to a client that reads none, waits until
 * it has stopped sending, and then reads all.
 */
export async function readSlowly(): Promise<SlowReading> {
  const child = fork(programOf("flood"), [], { execArgv: [], stdio: ["pipe", "pipe", "inherit", "ipc"] });
  const { stdin, stdout } = child as unknown as { stdin: Writable; stdout: Readable };
  const ask = async (): Promise<State> => {
    child.send("state");
    const [state] = (await once(child, "message")) as [State];
    return state;
  };
  const write = (message: object): void => void stdin.write(`${JSON.stringify(message)}\n`);
  try {
    opening.forEach(write);
    await once(stdout, "readable");
    stdout.read();
    const before = await ask();
    write(call);
    let stopped = await ask();
    for (let last = -1; stopped.sent === 0 || stopped.sent !== last;) {
      last = stopped.sent;
      await delay(200);
      stopped = await ask();
    }
    const received = await countProgress(stdout);
    if (received !== flood) {
      throw new Error(`Expected ${flood} notifications, got ${received}`);
    }
    const after = await ask();
    return {
      sentMeanwhile: stopped.sent,
      heldBytes: stopped.heldBytes,
      grownBytes: after.maxRssBytes - before.maxRssBytes,
    };
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}

/** Reads until the call is answered. */
async function countProgress(stdout: Readable): Promise<number> {
  let count = 0;
  let rest = "";
  for await (const chunk of stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    count += lines.filter((line) => line.includes('"notifications/progress"')).length;
    if (lines.some((line) => line.includes('"id":2'))) {
      break;
    }
  }
  return count;
}
