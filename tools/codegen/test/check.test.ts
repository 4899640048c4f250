import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { isRevisionName } from "../src/repository.ts";
import { mapOf, stringsOf } from "../src/schema.ts";
import type { Schema } from "../src/schema.ts";
import { checkout, hasUpstream, readDocument, root, run, upstream } from "./support.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";
const revisions = readdirSync(join(root, "schema")).filter(isRevisionName);

describe.skipIf(!hasUpstream)(
  "with upstream's documents (in ../shared, or in the folder TENON_SHARED)",
  () => {
    test.each(revisions)("check finds no difference between ours and upstream's %s", async (revision) => {
      const result = await run(["check", join(upstream, revision, "schema.json"), "--revision", revision]);
      expect(result).toEqual({ code: 0, out: `${revision}: identical in structure\n`, err: "" });
    });
  },
);

/** Runs `check` on our own schema of `revision` after `change`. */
async function checkChanged(
  revision: string,
  change: (definitions: { [name: string]: Schema }, document: Schema) => void,
) {
  await using copy = await checkout();
  const { document, definitions } = await readDocument(join(root, "schema", revision, "schema.json"));
  change(definitions, document);
  await writeFile(join(copy.root, "changed.json"), JSON.stringify(document));
  return run(["check", "changed.json", "--revision", revision], copy.root);
}

test("a renamed field is drift, and the report names both names", async () => {
  const { code, out } = await checkChanged("2026-07-28", (definitions) => {
    const fields = mapOf(definitions["Tool"] ?? {}, "properties");
    fields["label"] = fields["title"] ?? {};
    delete fields["title"];
  });
  expect(code).toBe(1);
  expect(out).toBe(
    "#/$defs/Tool/properties/title: field title removed and label added, which may be a new name for it upstream\n",
  );
});

test("a dropped requirement is drift, and the report names it", async () => {
  const { code, out } = await checkChanged("2025-06-18", (definitions) => {
    const tool = definitions["Tool"] ?? {};
    tool["required"] = stringsOf(tool, "required").filter((field) => field !== "inputSchema");
  });
  expect(code).toBe(1);
  expect(out).toBe("#/definitions/Tool/required: requirement inputSchema removed upstream\n");
});

test("an added enum value is drift, and the report names it", async () => {
  const { code, out } = await checkChanged("2025-11-25", (definitions) => {
    const level = definitions["LoggingLevel"] ?? {};
    level["enum"] = [...stringsOf(level, "enum"), "panic"];
  });
  expect(code).toBe(1);
  expect(out).toBe("#/$defs/LoggingLevel/enum: value panic added upstream\n");
});

test("a nested change is reported with a pointer to the innermost node that differs", async () => {
  const { out } = await checkChanged("2026-07-28", (definitions) => {
    const completion = mapOf(definitions["CompleteResult"] ?? {}, "properties")["completion"] ?? {};
    mapOf(completion, "properties")["total"] = { type: "number" };
  });
  expect(out).toBe(
    "#/$defs/CompleteResult/properties/completion/properties/total/type: integer became number upstream\n",
  );
});

test("a new and a removed definition are both reported", async () => {
  const { out } = await checkChanged("2024-11-05", (definitions) => {
    delete definitions["ModelHint"];
    mapOf(definitions["ModelPreferences"] ?? {}, "properties")["hints"] = { type: "array" };
    definitions["Brand"] = { type: "number", minimum: 3 };
  });
  expect(out).toContain("#/definitions/ModelHint: definition ModelHint removed upstream\n");
  expect(out).toContain("#/definitions/Brand: definition Brand added upstream\n");
});

test("prose, and the order of fields, members, values and requirements, is not drift", async () => {
  const { code, out } = await checkChanged("2026-07-28", (definitions, document) => {
    const turn = (value: unknown): unknown => {
      if (Array.isArray(value)) {
        return value.map(turn).toReversed();
      }
      if (typeof value !== "object" || value === null) {
        return value;
      }
      const turned = Object.entries(value).map(([key, inner]): [string, unknown] => [key, turn(inner)]);
      return Object.fromEntries(turned.toReversed());
    };
    for (const [name, schema] of Object.entries(definitions)) {
      definitions[name] = turn(schema) as Schema;
    }
    document["$comment"] = "something else";
  });
  expect(out).toBe("2026-07-28: identical in structure\n");
  expect(code).toBe(0);
});

test("a deprecation is drift, because generate writes it", async () => {
  const { code, out } = await checkChanged("2026-07-28", (definitions) => {
    Object.assign(mapOf(definitions["Tool"] ?? {}, "properties")["title"] ?? {}, { deprecated: true });
  });
  expect(code).toBe(1);
  expect(out).toBe("#/$defs/Tool/properties/title/deprecated: deprecated true added upstream\n");
});

test("another dialect is drift", async () => {
  const { code, out } = await checkChanged("2024-11-05", (_, document) => {
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  });
  expect(code).toBe(1);
  expect(out).toContain("#/$schema: ");
});

test("check reads a URL", async () => {
  const { document } = await readDocument(join(root, "schema", "2025-03-26", "schema.json"));
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/schema.json" ? 200 : 404;
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await run(["check", `${url}/schema.json`, "--revision", "2025-03-26"])).toMatchObject({
      code: 0,
      out: "2025-03-26: identical in structure\n",
    });
    const missing = await run(["check", `${url}/other.json`, "--revision", "2025-03-26"]);
    expect(missing).toMatchObject({ code: 3 });
    expect(missing.err).toContain("HTTP status 404");
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("a URL that nothing listens on is refused with the reason", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { code, err } = await run(["check", `http://127.0.0.1:${port}/`, "--revision", "2025-03-26"]);
  expect(code).toBe(3);
  expect(err).toMatch(/ECONNREFUSED/);
});

test.each([
  ["a missing file", undefined, "cannot read changed.json"],
  ["text that is not JSON", "{", "changed.json: not JSON"],
  [
    "a document without definitions",
    `{"$schema":"${dialect}"}`,
    "changed.json #: expected an object of definitions",
  ],
  [
    "a field that is no schema",
    `{"$schema":"${dialect}","$defs":{"A":{"properties":{"b/c":3}}}}`,
    "#/$defs/A/properties/b~1c: expected a schema",
  ],
  [
    "a dangling reference",
    `{"$schema":"${dialect}","$defs":{"A":{"items":{"$ref":"#/$defs/B"}}}}`,
    "#/$defs/A/items/$ref: there is no definition B",
  ],
  [
    "each unknown keyword, also next to a reference,",
    `{"$schema":"${dialect}","$defs":{"A":{"anyOf":[{"wat":1}]},"B":{"$ref":"#/$defs/A","not":{}}}}`,
    `#/$defs/A/anyOf/0/wat: the generator does not know this keyword
changed.json #/$defs/B/not: the generator does not know this keyword
`,
  ],
  [
    "a required that is not an array of strings",
    `{"$schema":"${dialect}","$defs":{"A":{"properties":{"b":{"required":["c",1]}}}}}`,
    "changed.json #/$defs/A/properties/b/required: required must be an array of strings\n",
  ],
  [
    "a type that does not exist",
    `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"A":{"items":{"type":"strin"}}}}`,
    "changed.json #/definitions/A/items/type: type must be",
  ],
  [
    "a list of types with one that does not exist",
    `{"$schema":"http://json-schema.org/draft-07/schema#","$defs":{"A b":{"type":["string","any"]}}}`,
    "changed.json #/$defs/A b/type: type must be",
  ],
  [
    "a pattern that does not compile",
    `{"$schema":"${dialect}","definitions":{"A/b":{"pattern":"("}}}`,
    `changed.json #/definitions/A~1b/pattern: "(" is not a regular expression`,
  ],
  [
    "an unknown dialect",
    `{"$schema":"https://example.com/schema","$defs":{"A":{"divisibleBy":1}}}`,
    "changed.json #/$schema: the dialect https://example.com/schema is not supported; use",
  ],
])("%s is refused with exit code 3 and the place", async (_, text, message) => {
  await using copy = await checkout();
  if (text !== undefined) {
    await writeFile(join(copy.root, "changed.json"), text);
  }
  const result = await run(["check", "changed.json", "--revision", "2026-07-28"], copy.root);
  expect(result.code).toBe(3);
  expect(result.err).toContain(message);
});
