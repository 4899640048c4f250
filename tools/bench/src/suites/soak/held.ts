import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What a server process holds, and what it has reported. */
export interface Held {
  /** Without compiled code. */
  readonly heapBytes: number;
  readonly codeBytes: number;
  readonly externalBytes: number;
  /** Sockets, pipes and the like. */
  readonly handles: number;
  /** Timers that are set, also those that do not keep the process alive. */
  readonly timers: number;
  readonly sessions: number;
  readonly rejections: number;
  readonly warnings: number;
  readonly errors: number;
}

/** The path of a program of this suite. */
export const programOf = (name: string): string =>
  fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));

/** A server over HTTP in a process of its own. */
export interface SoakServer extends AsyncDisposable {
  readonly port: number;
  held(): Promise<Held>;
}

/** Starts a server over HTTP. */
export async function startSoakServer(...args: readonly string[]): Promise<SoakServer> {
  const child = fork(programOf("http"), args, {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const reply = async (): Promise<unknown> => {
    const [message] = (await Promise.race([
      once(child, "message"),
      ended.then(([code]) => Promise.reject(new Error(`The server ended with ${String(code)}`))),
    ])) as [unknown];
    return message;
  };
  const { port } = (await reply()) as { readonly port: number };
  return {
    port,
    async held() {
      child.send("held");
      return JSON.parse(((await reply()) as { readonly value: string }).value) as Held;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
      }
      await ended;
    },
  };
}

/** Longest wait for a server to rest: its longest limit of time, with room for a busy machine. */
const maxRestMs = 30_000;
const pauseMs = 500;

/**
 * Waits until a server holds no more handles, timers and sessions than `atRest`, or, without it,
 * until it holds the same several times in a row.
 *
 * @returns What it holds then, or at the end of the longest wait.
 */
export async function rest(ask: () => Promise<Held>, atRest?: Held): Promise<Held> {
  const end = performance.now() + maxRestMs;
  let last = await ask();
  for (let same = 0; performance.now() < end && same < 8;) {
    await delay(pauseMs);
    const now = await ask();
    const isAtRest =
      atRest === undefined
        ? now.sessions === 0 && now.handles === last.handles && now.timers === last.timers
        : now.handles <= atRest.handles &&
          now.timers <= atRest.timers + now.sessions &&
          now.sessions <= atRest.sessions;
    same = isAtRest ? same + (atRest === undefined ? 1 : 4) : 0;
    last = now;
  }
  return last;
}
