import { gzipSync } from "node:zlib";

import * as validators from "@tenon/protocol/2026-07-28/validators";
import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { gen, generate } from "../src/generate.ts";
import { hoist } from "../src/hoist.ts";
import { methodTable } from "../src/methods.ts";
import { prepare } from "../src/prepare.ts";
import { openRepository } from "../src/repository.ts";
import type { Schema } from "../src/schema.ts";
import { mutations, readExamples } from "./examples.ts";
import type { Example } from "./examples.ts";
import { hasUpstream, root } from "./support.ts";

const revision = "2026-07-28";
const repository = openRepository(root);
const source = repository.revisions.find((each) => each.revision === revision);
const definitions = source === undefined ? {} : hoist(prepare(source, repository));
const rows = methodTable(definitions, revision, repository);

/** An example as params or result of a method. */
interface Exchange {
  readonly title: string;
  readonly definition: string;
  readonly value: unknown;
  readonly check: (value: unknown) => unknown;
}

/**
 * The exchange that an example is part of, if it is part of one: many are of content blocks,
 * schemas, errors.
 */
function exchangeOf({ definition, file, value }: Example): Exchange | undefined {
  const part = (name: string): unknown => (value as Schema)[name];
  for (const row of rows) {
    const params = {
      title: `${file} (params)`,
      definition: row.params ?? "",
      check: (it: unknown) => validators.checkParams(row.method, it).state,
    };
    const result = {
      title: `${file} (result)`,
      definition: row.result ?? "",
      check: (it: unknown) => validators.checkResult(row.method, it).state,
    };
    if (definition === row.definition) {
      return { ...params, value: part("params") };
    }
    if (definition === row.params) {
      return { ...params, value };
    }
    if (definition === `${row.result}Response`) {
      return { ...result, value: part("result") };
    }
    if (definition === row.result) {
      return { ...result, value };
    }
    if (definition === "InputRequiredResult" && row.inputRequired) {
      return { ...result, definition, value };
    }
  }
  return undefined;
}

const exchanges = readExamples()
  .map(exchangeOf)
  .filter((exchange) => exchange !== undefined && exchange.value !== undefined) as Exchange[];

/**
 * This example lacks the cache hints that 2026-07-28 requires. Upstream's schema admits it as an
 * `InputRequiredResult`, which to the schema is anything with a `resultType`; the validators go by
 * the value of `resultType`.
 */
const incomplete = "ReadResourceResultResponse/read-resource-result-response.json (result)";

describe.skipIf(!hasUpstream)(
  "with upstream's examples (in ../shared, or in the folder TENON_SHARED)",
  () => {
    test("most examples are part of an exchange", () => {
      expect(exchanges.length).toBeGreaterThan(60);
    });

    test.each(exchanges.filter(({ title }) => title !== incomplete))(
      "the validators admit $title",
      ({ value, check }) => {
        expect(check(value)).toBe("valid");
      },
    );

    test("the one official example without its cache hints is refused for that", () => {
      const { value } = exchanges.find(({ title }) => title === incomplete) ?? {};
      expect(validators.checkResult("resources/read", value)).toEqual({
        state: "invalid",
        instanceLocation: "/cacheScope",
        keyword: "required",
      });
    });

    test("the validators refuse 500 examples with a required field dropped or a type changed", () => {
      const broken = exchanges
        .filter(({ title }) => title !== incomplete)
        .flatMap(({ title, definition, value, check }) =>
          mutations(value, definitions[definition] ?? {}, definitions).map(({ what, apply }) => ({
            title: `${title}: ${what}`,
            value: apply(value),
            check,
          })),
        );
      expect(broken.length).toBeGreaterThan(500);
      fc.assert(
        fc.property(fc.constantFrom(...broken), ({ value, check }) => check(value) === "invalid"),
        { numRuns: samples(500) },
      );
    });
  },
);

test("all validators of 2026-07-28 are at most 12 KB with gzip, even before minification", async () => {
  const text = (await generate(repository)).get(`${gen}/${revision}/validators.ts`) ?? "";
  expect(text).not.toBe("");
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(12 * 1024);
});

test("validators are plain code: no imports but the verdict's, no eval", async () => {
  for (const [path, text] of await generate(repository)) {
    if (!path.endsWith("validators.ts")) {
      continue;
    }
    expect([...text.matchAll(/from "(.+)"/g)].map((match) => match[1])).toEqual([
      "../../verdict.ts",
      "../../verdict.ts",
    ]);
    expect(text).not.toMatch(/\beval\b|new Function/);
  }
});
