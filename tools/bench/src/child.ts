import { fork } from "node:child_process";
import { once } from "node:events";

import type { Metrics } from "./runner.ts";

/** What a child process is asked: to take one sample of a work. */
interface ChildRequest {
  readonly id: number;
  readonly work: string;
}

/** What it answers. */
type ChildResponse =
  | { readonly id: number; readonly metrics: Metrics }
  | { readonly id: number; readonly error: string };

/**
 * A candidate that lives in a process of its own, so that it shares no heap and no compiled code
 * with the others.
 */
export interface ChildCandidate extends AsyncDisposable {
  /** The process, for its CPU time and memory. */
  readonly pid: number;
  /** Has the child take one sample. Rejects when it fails there, or when the child ends. */
  sample(work: string): Promise<Metrics>;
  /** Ends the child. May be called twice. */
  close(): Promise<void>;
}

/** How a child is started. */
export interface ChildOptions {
  readonly args?: readonly string[] | undefined;
  /** Options of Node itself; default: those of this process, so that TypeScript runs there too. */
  readonly execArgv?: readonly string[] | undefined;
}

/**
 * Starts a candidate in a child process.
 *
 * @param module - URL of a module that calls `serveSamples`
 */
export async function startChild(module: URL, options: ChildOptions = {}): Promise<ChildCandidate> {
  const { args = [], execArgv = process.execArgv } = options;
  const child = fork(module, args, {
    execArgv: [...execArgv],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const waiting = new Map<
    number,
    { readonly resolve: (metrics: Metrics) => void; readonly reject: (error: Error) => void }
  >();
  let lastId = 0;
  child.on("message", (message) => {
    const response = message as ChildResponse;
    const call = waiting.get(response.id);
    waiting.delete(response.id);
    if ("metrics" in response) {
      call?.resolve(response.metrics);
    } else {
      call?.reject(new Error(`${module.pathname}: ${response.error}`));
    }
  });
  const ended = once(child, "exit");
  child.once("exit", (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`${module.pathname} ended with ${String(code ?? signal)}`));
    }
    waiting.clear();
  });
  await once(child, "spawn");
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
    }
    await ended;
  };
  return {
    pid: child.pid ?? -1,
    sample: (work) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        child.send({ id, work } satisfies ChildRequest);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The child's side: answers each request with a sample of the named work. */
export function serveSamples(works: ReadonlyMap<string, () => Metrics | Promise<Metrics>>): void {
  const answer = async ({ id, work }: ChildRequest): Promise<ChildResponse> => {
    const sample = works.get(work);
    if (sample === undefined) {
      return { id, error: `Expected one of ${[...works.keys()].join(", ")}, got ${work}` };
    }
    try {
      return { id, metrics: await sample() };
    } catch (error) {
      return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on("message", (request: ChildRequest) => {
    void answer(request).then((response) => process.send?.(response));
  });
}
