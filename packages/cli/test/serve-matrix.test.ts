import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { listen } from "@tenon/node";
import type { Revision } from "@tenon/protocol";
import {
  bothEras,
  deferred,
  legacyRevision,
  meeting,
  modernRevision,
  person,
  textOf,
} from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { matrixServer } from "./fixtures/matrix-server.mjs";
import { fixture, tenon } from "./support.ts";

/**
 * What clients may expect of a server behind `tenon serve`: the same as without it, for clients and
 * servers of both eras, and for programs and HTTP behind. Each cell counts who was asked what, and
 * how often the tool ran. A modern server runs a handler again for each round of input; it is the
 * proxy that must not cause further runs.
 */
const features: Readonly<Record<string, (cell: Cell) => Promise<void>>> = {
  async "a tool asks once"({ connect, tag, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("once", tag)).toBe(`${tag}: accept ann 1`);
    expect(ann.asked).toEqual([`${tag}: sure?`]);
    expect(ran("once", tag)).toBe(rounds(1));
  },
  async "a tool asks twice"({ connect, tag, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("twice", tag)).toBe("accept ann 1, accept ann 2");
    expect(ann.asked).toEqual([`${tag}: first?`, `${tag}: second?`]);
    expect(ran("twice", tag)).toBe(rounds(2));
  },
  async "a tool asks two questions at once"({ connect, tag, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("both", tag)).toMatch(/^accept ann [12], accept ann [12]$/);
    expect(ann.asked.toSorted()).toEqual([`${tag}: first?`, `${tag}: second?`]);
    expect(ran("both", tag)).toBe(rounds(1));
  },
  async "a tool asks the model"({ connect, tag, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("model", tag)).toBe("model of ann");
    expect(ran("model", tag)).toBe(rounds(1));
  },
  async "a tool asks for the roots"({ connect, tag, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("roots", tag)).toBe("file:///ann");
    expect(ran("roots", tag)).toBe(rounds(1));
  },
  async "a step runs once, however often the tool asks"({ connect, tag, effects }) {
    const ann = await connect("ann");
    expect(await ann.call("step", tag)).toBe("accept ann 1");
    expect(effects().filter((line) => line === `charge ${tag}`)).toHaveLength(1);
  },
  async "progress arrives, and a cancellation reaches the tool"({ connect, tag, effects }) {
    const ann = await connect("ann");
    const stop = new AbortController();
    const seen: unknown[] = [];
    const call = ann.session.callTool(
      { name: "work", arguments: { tag } },
      {
        signal: stop.signal,
        onProgress: ({ progress, message }) => {
          seen.push([progress, message]);
          stop.abort(new Error("enough"));
        },
      },
    );
    await expect(call).rejects.toThrow("enough");
    expect(seen).toEqual([[1, "begun"]]);
    await expect.poll(effects, { timeout: 10_000 }).toContain(`abort work ${tag}`);
  },
  async "a change of a list is announced"({ connect, tag }) {
    const changed = deferred();
    const ann = await connect("ann", { onToolsChanged: () => changed.resolve() });
    await ann.session.listTools();
    expect(await ann.call("grow", tag)).toBe("grown");
    await changed.promise;
    const { tools } = await ann.session.listTools();
    expect(tools.filter(({ name }) => name.startsWith("new-")).length).toBeGreaterThan(0);
  },
  async "an update of a resource arrives"({ connect, tag }) {
    const ann = await connect("ann");
    const watch = ann.session.watch("notes://1");
    await watch.ready;
    const update = watch.next();
    let seen: unknown;
    // The watch of the server behind begins later than that of the client.
    while (seen === undefined) {
      const touched = ann.call("touch", tag).then(() => undefined);
      seen = await Promise.race([update, touched]);
    }
    expect(seen).toMatchObject({ value: { uri: "notes://1" } });
    await watch.return?.();
  },
  async "definitions and structured results arrive whole"({ connect }) {
    const ann = await connect("ann");
    const { tools } = await ann.session.listTools();
    const typed = tools.find(({ name }) => name === "typed");
    expect(typed).toMatchObject({
      outputSchema: { required: ["n"] },
      annotations: { readOnlyHint: true },
      _meta: { "example.com/x": 1 },
    });
    const result = await ann.session.callTool({ name: "typed", arguments: {} });
    expect(result.structuredContent).toEqual({ n: 7 });
  },
  async "two clients are asked at once, each for its own call"({ connect, tag, ran, rounds }) {
    const both = meeting(2);
    const ann = await connect("ann", {}, both);
    const bob = await connect("bob", {}, both);
    const calls = [ann.call("once", `${tag} a`), bob.call("once", `${tag} b`)];
    expect(await Promise.all(calls)).toEqual([`${tag} a: accept ann 1`, `${tag} b: accept bob 1`]);
    expect([ann.asked, bob.asked]).toEqual([[`${tag} a: sure?`], [`${tag} b: sure?`]]);
    expect([ran("once", `${tag} a`), ran("once", `${tag} b`)]).toEqual([rounds(1), rounds(1)]);
  },
  async "one client is asked for two calls at once"({ connect, tag, ran, rounds }) {
    const ann = await connect("ann", {}, meeting(2));
    const results = await Promise.all([ann.call("once", `${tag} x`), ann.call("once", `${tag} y`)]);
    expect(results[0]).toMatch(new RegExp(`^${tag} x: accept ann [12]$`));
    expect(results[1]).toMatch(new RegExp(`^${tag} y: accept ann [12]$`));
    expect(ann.asked.toSorted()).toEqual([`${tag} x: sure?`, `${tag} y: sure?`]);
    expect([ran("once", `${tag} x`), ran("once", `${tag} y`)]).toEqual([rounds(1), rounds(1)]);
  },
  async "a client that vanishes while it is asked harms no other"({
    connect,
    tag,
    isWaiting,
    ran,
    effects,
    rounds,
  }) {
    const isAsked = deferred();
    const ann = await connect("ann", {}, () => {
      isAsked.resolve();
      return new Promise(() => {});
    });
    const call = ann.call("once", tag);
    await isAsked.promise;
    await ann.session.close({ drainMs: 0 });
    await call;
    // Between two rounds of a client nothing runs, or the call is held for a while.
    if (isWaiting) {
      await expect.poll(effects, { timeout: 10_000 }).toContain(`abort once ${tag}`);
    }
    expect(ran("once", tag)).toBe(1);
    const bob = await connect("bob");
    expect(await bob.call("once", `${tag} b`)).toBe(`${tag} b: accept bob 1`);
    expect(bob.asked).toEqual([`${tag} b: sure?`]);
    expect(ran("once", `${tag} b`)).toBe(rounds(1));
  },
  async "a server that dies while it asks is not called again"({ connect, tag, ran, kill }) {
    const ann = await connect("ann", {}, () => kill(tag));
    expect(await ann.call("once", tag)).toMatch(/^(-32603|-32602) /);
    expect(ann.asked).toEqual([`${tag}: sure?`]);
    expect(ran("once", tag)).toBe(1);
  },
};

/** A client of the proxy. */
interface Front {
  readonly session: ClientSession;
  /** The questions that it was asked. */
  readonly asked: string[];
  /** Calls a tool. @returns Its text, or the code and message of the error. */
  call(name: string, tag: string): Promise<string>;
}

/** One cell of the matrix. */
interface Cell {
  /** Whether client and server both wait for the answers on the spot. */
  readonly isWaiting: boolean;
  /** Distinguishes the calls of the cell from all others. */
  readonly tag: string;
  /** Connects a client. @param wait - Runs before the client answers a question. */
  connect(who: string, options?: ClientOptions, wait?: () => unknown): Promise<Front>;
  effects(): readonly string[];
  /** How often a tool ran. */
  ran(name: string, tag: string): number;
  /** How often a tool with so many rounds of input runs. */
  rounds(count: number): number;
  /** Ends the server, which is asking. */
  kill(tag: string): Promise<void>;
}

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

  test.each(cells)("%s: client of %s", async (feature, front) => {
    const tag = `cell${++count}`;
    const dies = feature.includes("dies");
    const { address, effects, kill, end } = dies ? await serve(back, kind) : shared;
    if (dies) {
      onTestFinished(end);
    }
    await features[feature]?.({
      isWaiting: front === legacyRevision && back === legacyRevision,
      tag,
      connect: (who, options, wait) => connect(address, front, who, options, wait),
      effects,
      ran: (name, of) => effects().filter((line) => line === `run ${name} ${of}`).length,
      rounds: (rounds) => (back === modernRevision ? rounds + 1 : 1),
      kill,
    });
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
          target: ["--", process.execPath, fixture("matrix-server.mjs"), back, file],
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
  const server = matrixServer(back, file);
  const handler = createStreamableHandler({ getServer: () => server, onError: () => {} });
  const listening = await listen(handler, { port: 0, host: "127.0.0.1" });
  return { target: [listening.url.href], kill: () => listening.close({ drainMs: 0 }) };
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
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
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

/** Connects a client that answers by its name. @param wait - Runs before it answers a question. */
async function connect(
  address: string,
  front: Revision,
  who: string,
  options: ClientOptions = {},
  wait?: () => unknown,
): Promise<Front> {
  const { asked, options: answers } = person(who, wait);
  const client = new Client({ name: who, version: "1.0.0" }, { revisions: [front], ...answers, ...options });
  const session = await client.connect(new StreamableClientTransport(address, { eras: false }));
  onTestFinished(() => session.close({ drainMs: 0 }));
  return {
    session,
    asked,
    call: (name, tag) => textOf(session.callTool({ name, arguments: { tag } })),
  };
}
