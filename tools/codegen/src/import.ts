import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parseDocument, printDocument } from "./document.ts";
import { CodegenError } from "./error.ts";
import { collectDescriptions, describe, stripProse } from "./prose.ts";
import type { Descriptions } from "./prose.ts";
import type { Repository, Sources } from "./repository.ts";
import { sha256 } from "./repository.ts";
import { constOf, mapOf, rewriteAll, sorted } from "./schema.ts";
import type { Definitions } from "./schema.ts";

/** An upstream document to bring in. */
export interface ImportInput {
  readonly revision: string;
  /** The document's text. */
  readonly text: string;
  /** Where it came from: a path or URL, for messages. */
  readonly source: string;
  /** Whether the document is the schema that is written, so that its source stays the same. */
  readonly isOwn?: boolean | undefined;
  /** Where upstream keeps it, for `sources.json`. */
  readonly url?: string | undefined;
  /** Upstream commit, for `sources.json`. */
  readonly commit?: string | undefined;
  /** The folder that takes `<revision>/schema.json`. Default: `schema/` of the checkout. */
  readonly folder?: string | undefined;
  /** Descriptions that go before the ones we have. */
  readonly descriptions?: Descriptions | undefined;
}

const comment =
  "Structure as in the upstream document pinned in schema/sources.json; descriptions by Tenon. See schema/README.md.";

/**
 * Brings the structure of a revision into `schema/`, without upstream's prose, keeping our
 * descriptions: those of the same revision first, then those that other revisions have for the same
 * path, newest first.
 *
 * @returns definitions and fields that have no description yet; the envelopes' own fields need none
 */
export function importRevision(repository: Repository, input: ImportInput): string[] {
  const document = parseDocument(input.text, input.source);
  const own = repository.revisions.filter((source) => source.revision === input.revision);
  const others = repository.revisions.filter((source) => source.revision !== input.revision).toReversed();
  const known = [...own, ...others].map((source) => collectDescriptions(source.document.definitions));
  const sources = input.descriptions === undefined ? known : [input.descriptions, ...known];
  const definitions = describe(stripProse(document.definitions), input.revision, sources);
  const schemas = input.folder ?? join(repository.root, "schema");
  mkdirSync(join(schemas, input.revision), { recursive: true });
  writeFileSync(
    join(schemas, input.revision, "schema.json"),
    printDocument({ ...document, definitions }, comment),
  );
  if (input.isOwn !== true) {
    pinSource(join(schemas, "sources.json"), input);
  }
  const described = collectDescriptions(definitions);
  return undescribed(definitions, described);
}

/** Records where a document is from. Another document drops what was known about the last one. */
function pinSource(file: string, input: ImportInput): void {
  const pinned = readSources(file);
  const digest = sha256(input.text);
  const before = pinned[input.revision];
  const same = before?.sha256 === digest ? before : undefined;
  const url = input.url ?? same?.url;
  const commit = input.commit ?? (input.url === undefined ? same?.commit : commitOf(input.url));
  const entry = {
    ...(url === undefined ? {} : { url }),
    ...(commit === undefined ? {} : { commit }),
    sha256: digest,
  };
  const sources: Sources = { ...pinned, [input.revision]: entry };
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted(sources)), null, 2)}\n`);
}

function readSources(file: string): Sources {
  if (!existsSync(file)) {
    return {};
  }
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Sources;
  } catch (cause) {
    throw cause instanceof SyntaxError
      ? new CodegenError("invalid_document", `${file}: not JSON`, { cause })
      : cause;
  }
}

/**
 * The commit in a URL such as `https://raw.githubusercontent.com/<owner>/<name>/<commit>/<path>`.
 */
function commitOf(url: string): string | undefined {
  return /\/([0-9a-f]{40})\//.exec(url)?.[1];
}

function undescribed(definitions: Definitions, described: Descriptions): string[] {
  const paths = new Set(Object.keys(definitions));
  rewriteAll(definitions, (node, path) => {
    if (constOf(node, "method") === undefined && !("jsonrpc" in mapOf(node, "properties"))) {
      for (const field of Object.keys(mapOf(node, "properties"))) {
        paths.add(`${path}.${field}`);
      }
    }
    return node;
  });
  return [...paths].filter((path) => described[path] === undefined).sort();
}
