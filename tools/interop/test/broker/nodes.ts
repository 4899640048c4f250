import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request as send } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";

import { compiledProgram } from "@tenon/test-support/processes";

import type { NodeParts } from "./process.ts";

let program: Promise<string> | undefined;

/** Processes that share the logins of a server. */
export interface Nodes extends AsyncDisposable {
  /** Sends each request to the next process that accepts it, as a balancer does. */
  readonly balance: RequestListener;
  /** Ends the process that got the last request, without a chance to say so. */
  killLast(): Promise<void>;
  /** How many processes are left. */
  readonly left: number;
}

/** Starts three nodes in processes of their own. */
export async function startNodes(parts: NodeParts): Promise<Nodes> {
  program ??= compiledProgram(new URL("process.ts", import.meta.url));
  const path = await program;
  let nodes = await Promise.all([0, 1, 2].map(() => startNode(path, parts)));
  let [turn, last] = [0, 0];

  async function pass(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { method, url, headers } = request;
    for (let attempt = 0; attempt < 3; attempt++) {
      const node = nodes[turn++ % nodes.length];
      const outgoing = send({
        host: "127.0.0.1",
        port: node?.port,
        method,
        path: url,
        headers,
        agent: false,
      });
      outgoing.end(body);
      try {
        const [response] = (await once(outgoing, "response")) as [IncomingMessage];
        last = node?.port ?? 0;
        return response;
      } catch (error) {
        // A balancer asks another node only if this one has not received the request.
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") {
          throw error;
        }
      }
    }
    throw new Error("No node accepts the request.");
  }

  return {
    balance(request, response) {
      void buffer(request)
        .then((body) => pass(request, body))
        .then(
          (passed) => {
            response.writeHead(passed.statusCode ?? 502, passed.headers);
            passed.pipe(response);
          },
          () => response.writeHead(502).end(),
        );
    },
    async killLast() {
      const node = nodes.find(({ port }) => port === last);
      node?.child.kill("SIGKILL");
      await node?.ended;
    },
    get left() {
      return nodes.filter(({ child }) => child.signalCode === null && child.exitCode === null).length;
    },
    async [Symbol.asyncDispose]() {
      for (const { child, ended } of nodes) {
        child.kill("SIGKILL");
        await ended;
      }
      nodes = [];
    },
  };
}

async function startNode(
  program: string,
  parts: NodeParts,
): Promise<{ readonly child: ChildProcess; readonly port: number; readonly ended: Promise<unknown> }> {
  const child = fork(program, [JSON.stringify(parts)], { execArgv: [] });
  const ended = once(child, "exit");
  const [port] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) => Promise.reject(new Error(`A node ended with ${String(code)}.`))),
  ])) as [number];
  return { child, port, ended };
}
