import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { isRecord } from "@tenon/base";
import { Client, type ClientSession } from "@tenon/mcp/client";
import { eraOf, revisions, type Era } from "@tenon/protocol";
import { CommandTransport } from "@tenon/transports-stdio/client";

import { CliError, usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import { fetchEach, listNames } from "../session/definitions.ts";
import type { Findings } from "./finding.ts";
import { preload } from "./official-preload.ts";

const official = "@modelcontextprotocol/sdk";
const replacement = "@tenon/official-v1";

/** The responses of a program, by the name of the request. */
type Said = ReadonlyMap<string, unknown>;

/** Requests without effects, for which every server has an error. */
const refused: readonly (readonly [string, object])[] = [
  ["tools/call", { name: "tenon-doctor-unknown", arguments: {} }],
  ["prompts/get", { name: "tenon-doctor-unknown" }],
  ["resources/read", { uri: "tenon-doctor://unknown" }],
];

/**
 * Runs the program of a folder twice over standard input and output: on the official SDK that it
 * has, and on `@tenon/official-v1`. Compares what both say, and connects by the newest protocol
 * version to the second. Calls no tool.
 *
 * @throws `CliError` if the folder has no program, or the package is not installed.
 */
export async function compareWithOfficial(
  folder: string,
  signal: AbortSignal,
  findings: Findings,
): Promise<void> {
  const root = resolve(folder);
  const program = await programOf(root);
  const temporary = await mkdtemp(join(tmpdir(), "tenon-official-"));
  try {
    const loader = join(temporary, "preload.mjs");
    await writeFile(loader, preload(official, replacement, replacementIn(root)));
    const setup = { root, program, signal };
    const before = await saidBy({ ...setup, flags: [], era: "legacy" });
    const flags = ["--import", pathToFileURL(loader).href];
    const after = await saidBy({ ...setup, flags, era: "legacy" });
    for (const [name, value] of before) {
      report(findings, name, value, after.get(name));
    }
    await modern(findings, before, () => saidBy({ ...setup, flags, era: "modern" }));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function report(findings: Findings, name: string, before: unknown, after: unknown): void {
  if (isDeepStrictEqual(before, after)) {
    findings.ok(name, "The same on both.");
    return;
  }
  const where = placeOf(before, after);
  findings.fail(
    name,
    `${visibleLine(where.path)} differs: ${shown(where.before)} on the official SDK, ${shown(where.after)} on ${replacement}.`,
    "report it with the program, or see docs/drop-in.md for what differs",
  );
}

/** The lists must not depend on the protocol version. */
async function modern(findings: Findings, before: Said, run: () => Promise<Said>): Promise<void> {
  try {
    const said = await run();
    const changed = listNames.filter(
      (name) => namesIn(said.get(name)).join("\n") !== namesIn(before.get(name)).join("\n"),
    );
    if (changed.length === 0) {
      findings.ok("newest version", "Serves the same lists in the newest protocol version.");
    } else {
      findings.warn(
        "newest version",
        `Other items than before in ${changed.join(", ")}.`,
        "check whether the program changes its lists after initialize",
      );
    }
  } catch (error) {
    findings.fail(
      "newest version",
      `Does not serve the newest protocol version: ${visibleLine(messageOf(error))}`,
      "check that the program imports the SDK, and does not contain it in its own file",
    );
  }
}

function namesIn(items: unknown): readonly string[] {
  return (Array.isArray(items) ? (items as unknown[]) : []).map((item) =>
    isRecord(item) ? String(item["name"] ?? item["uri"]) : "",
  );
}

interface Run {
  readonly root: string;
  readonly program: string;
  readonly flags: readonly string[];
  readonly era: Era;
  readonly signal: AbortSignal;
}

async function saidBy({ root, program, flags, era, signal }: Run): Promise<Said> {
  const own = revisions.filter((revision) => eraOf(revision) === era);
  const client = new Client(
    { name: "tenon-doctor", version: "0.0.0" },
    { revisions: own, strictness: "lenient", cache: false, onError: () => {} },
  );
  const session = await client.connect(
    new CommandTransport({ command: process.execPath, args: [...flags, program], cwd: root }),
    { signal },
  );
  try {
    const { lists, failures } = await fetchEach(session, listNames, signal);
    const errors =
      era === "legacy" ? await Promise.all(refused.map(async (each) => errorOf(session, each))) : [];
    return new Map<string, unknown>([
      ["identity", { info: session.serverInfo, instructions: session.instructions }],
      ["capabilities", session.serverCapabilities],
      ...Object.entries(lists),
      ...[...failures].map(([name, error]) => [name, messageOf(error)] as const),
      ...errors,
    ]);
  } finally {
    await session.close({ drainMs: 0 });
  }
}

/** The error for a request, or its result. */
async function errorOf(
  session: ClientSession,
  [method, params]: readonly [string, object],
): Promise<readonly [string, unknown]> {
  try {
    return [method, await session.request(method as "ping", params as never)];
  } catch (error) {
    const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
    return [method, { code, message: messageOf(error), data }];
  }
}

async function programOf(root: string): Promise<string> {
  const manifest = join(root, "package.json");
  let found: unknown;
  try {
    const { bin, main } = JSON.parse(await readFile(manifest, "utf8")) as Record<string, unknown>;
    found = typeof bin === "string" ? bin : isRecord(bin) ? Object.values(bin)[0] : main;
  } catch (cause) {
    throw usageError(
      `${visibleLine(manifest)} cannot be read: ${messageOf(cause)}`,
      "tenon doctor --official .",
    );
  }
  if (typeof found !== "string") {
    throw usageError(`${visibleLine(manifest)} names no program in "bin" or "main".`, "add it");
  }
  return resolve(root, found);
}

/** The folder of the replacement, which the program or this command has installed. */
function replacementIn(root: string): string {
  for (const from of [join(root, "package.json"), import.meta.url]) {
    try {
      return dirname(createRequire(from).resolve(`${replacement}/package.json`));
    } catch {
      // The next place may have it.
    }
  }
  throw new CliError("usage", `${replacement} is not installed.`, {
    hint: `npm install --no-save ${replacement}`,
  });
}

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The first place where two values differ. */
function placeOf(before: unknown, after: unknown, path = ""): Difference {
  if (typeof before === "object" && typeof after === "object" && before !== null && after !== null) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const key of keys) {
      const one: unknown = Reflect.get(before, key);
      const other: unknown = Reflect.get(after, key);
      if (!isDeepStrictEqual(one, other)) {
        return placeOf(one, other, `${path}/${key}`);
      }
    }
  }
  return { path: path === "" ? "/" : path, before, after };
}

function shown(value: unknown): string {
  return visibleLine((JSON.stringify(value) ?? "nothing").slice(0, 200));
}
