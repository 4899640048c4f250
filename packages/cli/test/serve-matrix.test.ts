import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { connectFront, features } from "@tenon/matrix";
import { matrixServer } from "@tenon/matrix/server";
import { listen } from "@tenon/node";
import { eraOf, type Revision } from "@tenon/protocol";
import { bothEras, deferred } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, tenon } from "./support.ts";

/** The matrix over real connections: programs and HTTP behind `tenon serve`, and HTTP in front. */

/** A server, and `tenon serve` in front of it. */
interface Served {
  readonly address: string;
  effects(): readonly string[];
  kill(tag: string): Promise<void>;
  end(): Promise<void>;
}

type Kind = "stdio" | "HTTP";
const kinds: readonly Kind[] = ["stdio", "HTTP"];
const sources = bothEras.flatMap((back) => kinds.map((kind) => [back, kind] as const));
const cells = Object.keys(features).flatMap((feature) => bothEras.map((front) => [feature, front] as const));
let count = 0;

describe.each(sources)("a server of %s over %s", (back, kind) => {
  let shared: Served;
  beforeAll(async () => {
    shared = await serve(back, kind);
  });
  afterAll(() => shared.end());

  const cellOf = (
    front: Revision,
    { address, effects }: Served,
  ): Parameters<NonNullable<(typeof features)[string]>>[0] => ({
    front: eraOf(front),
    back: eraOf(back),
    tag: `cell${++count}`,
    connect: (...person) => {
      const transport = new StreamableClientTransport(address, { eras: false });
      return connectFront(transport, front, { named: (name) => name }, person);
    },
    effects,
    named: (name) => name,
    uri: (uri) => uri,
    others: [],
    hasUnnamedLogs: kind === "stdio" && eraOf(back) === "modern",
  });

  test.each(cells)("%s: client of %s", async (feature, front) => {
    await features[feature]?.(cellOf(front, shared));
  });

  test.each(bothEras)("a server that dies while it asks is not called again: client of %s", async (front) => {
    const own = await serve(back, kind);
    onTestFinished(own.end);
    const { connect, effects, tag } = cellOf(front, own);
    const ann = await connect("ann", {}, () => own.kill(tag));
    expect(await ann.call("once", tag)).toMatch(/^(-32603|-32602) /);
    expect(ann.asked).toEqual([`${tag}: sure?`]);
    expect(effects().filter((line) => line === `run once ${tag}`)).toHaveLength(1);
  });
});

async function serve(back: Revision, kind: Kind): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-matrix-"));
  const file = join(folder, "effects");
  writeFileSync(file, "");
  const effects = (): readonly string[] => readFileSync(file, "utf8").split("\n");
  const { target, kill } =
    kind === "HTTP"
      ? await overHttp(back, file)
      : {
          target: ["--", process.execPath, fixture("matrix-program.mjs"), back, file],
          kill: (tag: string) => killProgram(effects(), tag),
        };
  const { address, end } = await proxyOf(target);
  return {
    address,
    effects,
    kill,
    async end() {
      await end();
      await (kind === "HTTP" ? kill("") : undefined);
      rmSync(folder, { recursive: true });
    },
  };
}

async function overHttp(
  back: Revision,
  file: string,
): Promise<{ readonly target: readonly string[]; kill(tag: string): Promise<void> }> {
  const behind = await matrixServer((line) => appendFileSync(file, `${line}\n`), back);
  const handler = createStreamableHandler({ getServer: () => behind.server, onError: () => {} });
  const listening = await listen(handler, { port: 0, host: "127.0.0.1" });
  return {
    target: [listening.url.href],
    async kill() {
      await listening.close({ drainMs: 0 });
      await behind[Symbol.asyncDispose]();
    },
  };
}

/** Kills the program that runs a call of the tool `once`, and waits for its end. */
async function killProgram(effects: readonly string[], tag: string): Promise<void> {
  const pid = Number(
    effects
      .find((line) => line.startsWith(`asking ${tag} `))
      ?.split(" ")
      .at(-1),
  );
  process.kill(pid, "SIGKILL");
  await expect.poll(() => isRunning(pid)).toBe(false);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function proxyOf(
  target: readonly string[],
): Promise<{ readonly address: string; end(): Promise<void> }> {
  const interruption = new AbortController();
  const url = deferred<string>();
  const folder = mkdtempSync(join(tmpdir(), "tenon-matrix-home-"));
  const serving = tenon(["serve", "--http", ...target], {
    cwd: folder,
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && url.resolve(text.trim()),
  });
  const failed = serving.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  return {
    address: await Promise.race([url.promise, failed]),
    async end() {
      interruption.abort(new Interrupted());
      await serving;
      rmSync(folder, { recursive: true });
    },
  };
}
