import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { findProgram } from "./programs.ts";

const { TENON_TEMPORAL: folder = "", TENON_TEMPORAL_BIN: program = findProgram("temporal") } = process.env;

/**
 * Whether tests can use Temporal: `$TENON_TEMPORAL` is a folder in which `@temporalio/client` and
 * `@temporalio/worker` are installed, and `temporal` is on the PATH or `$TENON_TEMPORAL_BIN`. Tests
 * that need it are skipped without it.
 */
export const hasTemporal: boolean = folder !== "" && program !== undefined;

/** The parts of a `Client` of `@temporalio/client` that tests use. */
export interface TemporalClient<Workflows> {
  readonly workflow: {
    list(options: { readonly query: string }): AsyncIterable<{
      readonly workflowId: string;
      readonly status: { readonly name: string };
    }>;
    getHandle(workflowId: string): { terminate(): Promise<unknown> };
  } & Workflows;
}

/** A Temporal server, and a client of it. */
export interface TemporalServer<Workflows> extends AsyncDisposable {
  readonly client: TemporalClient<Workflows>;
  /** Starts a worker in a process of its own. Resolves when it polls its task queue. */
  startWorker(script: string, taskQueue: string): Promise<AsyncDisposable>;
}

interface TemporalModule<Workflows> {
  readonly Connection: {
    connect(options: { readonly address: string }): Promise<{ close(): Promise<void> }>;
  };
  readonly Client: new (options: { readonly connection: object }) => TemporalClient<Workflows>;
}

/** Starts a Temporal server that keeps everything in memory. */
export async function startTemporal<Workflows>(): Promise<TemporalServer<Workflows>> {
  if (program === undefined || folder === "") {
    throw new Error(
      "Found no Temporal; set TENON_TEMPORAL to a folder with its packages, and TENON_TEMPORAL_BIN to temporal.",
    );
  }
  const load = createRequire(join(folder, "index.js"));
  const { Client, Connection } = load("@temporalio/client") as TemporalModule<Workflows>;
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = ["server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", String(port)];
  const child = spawn(program, [...args, "--log-level", "never"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    if (/^(Temporal )?Server:/.test(line)) {
      break;
    }
  }
  child.stdout.resume();
  const connection = await Connection.connect({ address });
  return {
    client: new Client({ connection }),
    async startWorker(script, taskQueue) {
      const worker = fork(script, [folder, address, taskQueue], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      const exited = once(worker, "exit");
      await Promise.race([
        once(worker, "message"),
        exited.then(() => Promise.reject(new Error("The worker of Temporal ended before it was ready."))),
      ]);
      return {
        async [Symbol.asyncDispose]() {
          worker.kill("SIGKILL");
          await exited;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The server cannot choose a free port by itself. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
