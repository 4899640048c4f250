import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Server } from "@tenon/mcp";
import { originOnFreePort } from "@tenon/test-support/http";
import {
  createStreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

/** A server over HTTP, at its URL. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Serves over HTTP on a free port of 127.0.0.1. */
export async function serve(
  server: Server,
  options: Omit<StreamableHandlerOptions, "getServer"> = {},
): Promise<Served> {
  const handler = createStreamableHandler({ getServer: () => server, ...options });
  const http = createServer((request, response) => void handler.node(request, response));
  const origin = await originOnFreePort(http);
  return {
    url: `${origin}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.close();
      http.closeAllConnections();
    },
  };
}

/**
 * The command of a program in TypeScript, which is bundled first, so that it starts quickly.
 *
 * @param onEnd - Gets the function that removes the program. Default: it is removed after the test.
 */
export async function programCommand(
  name: string,
  onEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<{ command: string; args: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-inspector-"));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@tenon/source"],
    logLevel: "silent",
  });
  return { command: process.execPath, args: [outfile] };
}
