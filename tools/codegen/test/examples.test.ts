import { compile } from "@tenon/jsonschema";
import type { JSONSchema } from "@tenon/jsonschema";
import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { prepare } from "../src/prepare.ts";
import { openRepository } from "../src/repository.ts";
import { mutations, readExamples } from "./examples.ts";
import { hasUpstream, root } from "./support.ts";

const repository = openRepository(root);
const source = repository.revisions.find(({ revision }) => revision === "2026-07-28");
const definitions = source === undefined ? {} : prepare(source, repository);
const examples = readExamples();

/** True for values of the definition. */
function admits(definition: string, value: unknown): boolean {
  return compile({ $ref: `#/$defs/${definition}`, $defs: definitions } as JSONSchema).is(value);
}

describe.skipIf(!hasUpstream)(
  "with upstream's examples (in ../shared, or in the folder TENON_SHARED)",
  () => {
    test("there are examples", () => {
      expect(examples.length).toBeGreaterThan(100);
    });

    test.each(examples)("our schema admits $file", ({ definition, value }) => {
      expect(admits(definition, value)).toBe(true);
    });

    test("our schema refuses 500 examples with a required field dropped or a type changed", () => {
      const broken = examples.flatMap(({ definition, file, value }) =>
        mutations(value, definitions[definition] ?? {}, definitions).map(({ what, apply }) => ({
          definition,
          title: `${file}: ${what}`,
          value: apply(value),
        })),
      );
      expect(broken.length).toBeGreaterThan(500);
      const refused = fc.property(
        fc.constantFrom(...broken),
        ({ definition, value }) => !admits(definition, value),
      );
      fc.assert(refused, { numRuns: samples(500) });
    });
  },
);
