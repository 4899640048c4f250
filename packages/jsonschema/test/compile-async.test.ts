import { expect, test } from "vitest";

import { compileAsync, isSchemaError, type JSONSchema } from "../src/index.ts";

const base = "https://example.test/";
const documents: Record<string, JSONSchema> = {
  [`${base}list`]: { type: "array", items: { $ref: "item" } },
  [`${base}item`]: { type: "object", properties: { next: { $ref: "item" }, list: { $ref: "list" } } },
};

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

test("documents are waited for, each asked for once, however many references lead to it", async () => {
  const asked: string[] = [];
  const validator = await compileAsync(
    { $id: `${base}root`, $ref: "list" },
    {
      async loader(uri) {
        asked.push(uri);
        await Promise.resolve();
        return documents[uri];
      },
    },
  );
  expect(asked).toEqual([`${base}list`, `${base}item`]);
  expect(validator.is([{ next: { list: [] } }])).toBe(true);
  expect(validator.is([{ next: { list: [1] } }])).toBe(false);
});

test("a metaschema of one's own is waited for as well", async () => {
  const vocabulary = "https://json-schema.org/draft/2020-12/vocab/";
  const meta = { $vocabulary: { [`${vocabulary}core`]: true, [`${vocabulary}applicator`]: true } };
  const loader = async (uri: string): Promise<JSONSchema | undefined> =>
    uri === `${base}meta` ? meta : undefined;
  const validator = await compileAsync({ $schema: `${base}meta`, not: {}, type: "string" }, { loader });
  expect(validator.is("a")).toBe(false);
});

test("what the loader does not have, does not find or is not asked for ends as in compile", async () => {
  const missing = await failure(compileAsync({ $ref: `${base}x` }, { loader: () => undefined }));
  expect(isSchemaError(missing) && [missing.code, missing.uri]).toEqual(["unresolved-reference", `${base}x`]);
  const broken = new Error("no connection");
  const thrown = await failure(compileAsync({ $ref: `${base}x` }, { loader: () => Promise.reject(broken) }));
  expect(thrown).toBe(broken);
  const never = (): never => {
    throw new Error("asked");
  };
  const untrusted = await failure(compileAsync({ $ref: `${base}x` }, { loader: never, untrusted: true }));
  expect(untrusted).toMatchObject({ code: "unresolved-reference" });
  // Nothing is missing: the reference is wrong.
  const wrong = await failure(compileAsync({ $ref: "#/$defs/x" }, { loader: never }));
  expect(wrong).toMatchObject({ code: "unresolved-reference" });
});

test("options of compileAsync that would have no effect are refused", async () => {
  const loader = (): undefined => undefined;
  const refused = async (options: object): Promise<string> =>
    ((await failure(compileAsync(true, { loader, ...options }))) as Error).message;
  expect(await refused({ maxDocuments: 3 })).toBe(
    'There is no option "maxDocuments". Write limits: { maxDocuments: … }.',
  );
  expect(await refused({ signals: {} })).toBe('There is no option "signals". Did you mean signal?');
  expect(await refused({ limits: { maxDocuments: -1 } })).toBe(
    "limits.maxDocuments must be an integer of 0 or more, or Infinity for no limit; got -1.",
  );
  expect(await refused({ limits: { maxStep: 1 } })).toBe(
    'There is no limit "maxStep". Did you mean maxSteps?',
  );
});

test("the documents are limited, and an aborted signal ends the wait", async () => {
  let n = 0;
  const endless = (uri: string): JSONSchema => ({ $id: uri, $ref: `${base}${n++}` });
  const many = await failure(
    compileAsync({ $ref: `${base}a` }, { loader: endless, limits: { maxDocuments: 3 } }),
  );
  expect(many).toMatchObject({
    code: "limit-exceeded",
    message: expect.stringContaining("3 documents") as string,
  });

  const controller = new AbortController();
  const reason = new Error("enough");
  const loader = (uri: string, { signal }: { signal: AbortSignal | undefined }): JSONSchema => {
    expect(signal).toBe(controller.signal);
    controller.abort(reason);
    return endless(uri);
  };
  const aborted = compileAsync({ $ref: `${base}a` }, { loader, signal: controller.signal });
  expect(await failure(aborted)).toBe(reason);
});
