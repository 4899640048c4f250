import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import { compiledProgram } from "@tenon/test-support/processes";

import type { StorePlace } from "./connect.ts";
import type { Node } from "./node.ts";
import type { Order, Report } from "./process.ts";

let program: Promise<string> | undefined;

/** A node in a process of its own. */
export interface ChildNode extends Node {
  readonly child: ChildProcess;
}

/** Starts a node in a process of its own. @param wrote - As of `startNode`. */
export async function startChild(
  place: StorePlace,
  wrote: (stream: number, step: number) => void = () => undefined,
): Promise<ChildNode> {
  program ??= compiledProgram(new URL("process.ts", import.meta.url));
  const child = fork(await program, [JSON.stringify(place)], { execArgv: [] });
  const ended = once(child, "exit");
  const waiting: ((routed: number) => void)[] = [];
  const started = new Promise<number>((resolve, reject) => {
    child.on("message", (report: Report) => {
      if ("port" in report) {
        resolve(report.port);
      } else if ("routed" in report) {
        waiting.shift()?.(report.routed);
      } else {
        wrote(report.stream, report.step);
      }
    });
    ended.then(([code]) => reject(new Error(`A node ended with ${String(code)}.`)), reject);
  });
  const order = (text: Order): void => void (child.connected && child.send(text));
  return {
    child,
    port: await started,
    isReady: true,
    sent: 0,
    routed: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        order("routed");
      }),
    change: () => order("change"),
    stop: (part, how) => order(`${how} ${part}`),
    restore: () => order("restore"),
    async drain() {
      child.kill("SIGTERM");
      await ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
