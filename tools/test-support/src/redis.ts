import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { NetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { findProgram } from "./programs.ts";

const program = findProgram("redis-server", "valkey-server");
const { TENON_REDIS_URL: url = "" } = process.env;

/**
 * Whether tests can use a Redis server: `$TENON_REDIS_URL`, or a program on the PATH. Tests that
 * need one are skipped where there is none.
 */
export const hasRedis: boolean = url !== "" || program !== undefined;

/** A Redis server. */
export interface RedisServer extends AsyncDisposable {
  /** Where to connect. */
  readonly target: NetConnectOpts;
}

/** Starts a Redis server on a Unix socket, or uses that of `$TENON_REDIS_URL`. */
export async function startRedis(): Promise<RedisServer> {
  if (url !== "") {
    const { hostname, port } = new URL(url);
    return {
      target: { host: hostname, port: Number(port === "" ? "6379" : port) },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  if (program === undefined) {
    throw new Error("Found no redis-server on the PATH; set TENON_REDIS_URL to a server for tests.");
  }
  const folder = await mkdtemp(join(tmpdir(), "redis-"));
  const path = join(folder, "socket");
  const child = spawn(program, ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    if (/ready to accept connections/i.test(line)) {
      break;
    }
  }
  child.stdout.resume();
  return {
    target: { path },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
