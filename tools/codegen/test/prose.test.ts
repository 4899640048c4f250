import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { collectDescriptions } from "../src/prose.ts";
import { openRepository } from "../src/repository.ts";
import { constOf, mapOf, rewriteAll } from "../src/schema.ts";
import type { Definitions, Schema } from "../src/schema.ts";
import { hasUpstream, readDocument, root, upstream } from "./support.ts";

const revisions = openRepository(root).revisions.map(({ revision, document }) => ({
  revision,
  definitions: document.definitions,
}));

test.each(revisions)(
  "every definition and every field a user meets in $revision is described",
  ({ definitions }) => {
    const described = collectDescriptions(definitions);
    const missing = fields(definitions).filter((path) => described[path] === undefined);
    expect(missing).toEqual([]);
  },
);

test.each(revisions)("descriptions of $revision are short sentences", ({ definitions }) => {
  for (const [path, text] of Object.entries(collectDescriptions(definitions))) {
    expect(text.length, path).toBeLessThanOrEqual(320);
    expect(text.trim(), path).toBe(text);
    expect(text, path).toMatch(/\.$/);
  }
});

describe.skipIf(!hasUpstream)(
  "with upstream's documents (in ../shared, or in the folder TENON_SHARED)",
  () => {
    test.each(revisions)("no sentence of $revision is upstream's", async ({ revision, definitions }) => {
      const theirs = await readDocument(join(upstream, revision, "schema.json"));
      const text = Object.values(collectDescriptions(theirs.definitions)).map(words).join(" | ");
      const ours = Object.values(collectDescriptions(definitions)).map(words);
      // Eight words in a row are a quotation; fewer are the language we share.
      const quoted = ours.filter((sentence) => runs(sentence, 8).some((part) => text.includes(` ${part} `)));
      expect(quoted).toEqual([]);
    });
  },
);

/** Definitions and fields, but for the envelope's own, which no user writes. */
function fields(definitions: Definitions): string[] {
  const out = Object.keys(definitions);
  rewriteAll(definitions, (node, path) => {
    for (const name of Object.keys(mapOf(node, "properties"))) {
      if (!isEnvelopeField(node, name)) {
        out.push(`${path}.${name}`);
      }
    }
    return node;
  });
  return out;
}

function isEnvelopeField(node: Schema, name: string): boolean {
  const inMessage = constOf(node, "method") !== undefined || "jsonrpc" in mapOf(node, "properties");
  return inMessage && ["jsonrpc", "id", "method"].includes(name);
}

function words(text: string): string {
  return ` ${text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim()} `;
}

function runs(sentence: string, length: number): string[] {
  const list = sentence.trim().split(" ");
  return list
    .slice(0, Math.max(0, list.length - length + 1))
    .map((_, index) => list.slice(index, index + length).join(" "));
}
