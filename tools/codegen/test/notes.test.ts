import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { revisions } from "@tenon/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";

import { packageRun, root } from "./support.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codegen-notes-"));
});

afterEach(() => rm(folder, { recursive: true }));

const npx = packageRun(() => folder);

/** Generates modules from a document with these definitions. */
async function generate(definitions: object): Promise<Awaited<ReturnType<typeof npx>>> {
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", $defs: definitions };
  await writeFile(join(folder, "own.json"), JSON.stringify(document));
  return npx("generate", "own.json", "--out", ".");
}

function message(method: string, params: object = { type: "object" }): object {
  const properties = { method: { type: "string", const: method }, params };
  return { type: "object", properties, required: ["method"] };
}

const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });

async function compile(): Promise<string> {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  await writeFile(join(folder, "package.json"), `{"type":"module"}`);
  const argv = [tsc, "--noEmit", "--strict", "--module", "nodenext", "types.ts", "methods.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

test.each(revisions)("generating from %s gives no notes", async (revision) => {
  expect(await npx("generate", revision, "--out", ".")).toMatchObject({ code: 0, err: "" });
});

test("a result that is assumed and a message that is left out are notes", async () => {
  const { code, err } = await generate({
    ClientRequest: { anyOf: [ref("OrphanRequest")] },
    EmptyResult: { type: "object" },
    LostNotification: message("notifications/lost"),
    LostRequest: message("lost"),
    Misnamed: message("misnamed"),
    OrphanRequest: message("orphan"),
  });
  expect(code).toBe(0);
  expect(err.split("\n")).toEqual([
    "note: OrphanRequest has no OrphanResult: EmptyResult is assumed",
    "note: LostNotification (notifications/lost) is not in methods.ts: it is in neither ClientNotification nor ServerNotification",
    "note: LostRequest (lost) is not in methods.ts: it is in neither ClientRequest nor ServerRequest",
    "note: Misnamed (misnamed) is not in methods.ts: its name ends with neither Request nor Notification",
    "",
  ]);
  expect(await readFile(join(folder, "methods.ts"), "utf8")).toContain("result: EmptyResult;");
});

test("a result that is assumed but not defined exits with 3", async () => {
  expect(
    await generate({ ClientRequest: ref("OrphanRequest"), OrphanRequest: message("orphan") }),
  ).toMatchObject({
    code: 3,
    err: "codegen: own.json: OrphanRequest can be answered by EmptyResult, which is not defined; add the definition\n",
  });
});

test("a definition that gets another name is a note, and references to it compile", async () => {
  const { code, err } = await generate({
    ClientRequest: { anyOf: [ref("weighRequest")] },
    Tool: { type: "object", title: "A tool", properties: { kind: ref("tool"), name: ref("string") } },
    string: { type: "string" },
    tool: { type: "object", properties: { parts: { type: "array", items: ref("2-part_of") } } },
    "2-part_of": { type: "object", title: "Tool", properties: { of: ref("Tool") } },
    weighRequest: message("weigh"),
    weighResult: ref("Tool"),
  });
  expect(code).toBe(0);
  const types = await readFile(join(folder, "types.ts"), "utf8");
  const names = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name);
  expect(names.toSorted()).toEqual([
    "ClientRequest",
    "PartOf",
    "String",
    "Tool",
    "Tool1",
    "WeighRequest",
    "WeighRequestParams",
    "WeighResult",
  ]);
  expect(err.split("\n").toSorted()).toEqual([
    "",
    "note: the type of the definition 2-part_of is called PartOf",
    "note: the type of the definition string is called String",
    "note: the type of the definition tool is called Tool1",
    "note: the type of the definition weighRequest is called WeighRequest",
    "note: the type of the definition weighRequestParams is called WeighRequestParams",
    "note: the type of the definition weighResult is called WeighResult",
  ]);
  expect(await compile()).toBe("");
});

test("a required name without a property is a note", async () => {
  const { code, err } = await generate({
    Point: { type: "object", properties: { x: { type: "number" } }, required: ["x", "y"] },
  });
  expect({ code, err }).toEqual({
    code: 0,
    err: "note: Point requires y but has no property y: the type does not have it\n",
  });
});
