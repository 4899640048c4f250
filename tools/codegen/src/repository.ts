import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Amendment } from "./amend.ts";
import { parseDocument } from "./document.ts";
import type { SchemaDocument } from "./schema.ts";

/** One entry of `schema/deprecations.json`. */
export interface Deprecation {
  /** Definitions (`ModelPreferences`) and fields (`ClientCapabilities.roots`) concerned. */
  readonly paths: readonly string[];
  /** Methods and notifications concerned. */
  readonly methods: readonly string[];
  /** Revision that first marks it. */
  readonly since: string;
  /** The decision, e.g. `SEP-2577`. */
  readonly by: string;
  /** What to use instead, as the end of a sentence. */
  readonly use: string;
  /** Earliest removal, as the end of a sentence. */
  readonly removal: string;
}

/** What the schema does not say about a method; one entry of `schema/methods.json`. */
export interface MethodFacts {
  /**
   * Capability, as a dotted path, that a side must have declared. Left out of revisions whose
   * schema has no such capability.
   */
  readonly requires?: { readonly client?: string; readonly server?: string };
  /** The param mirrored in the `Mcp-Name` header, from revision `since` on. */
  readonly header?: { readonly param: string; readonly since: string };
  /** The field of `SubscriptionFilter` that asks for this notification. */
  readonly filter?: string;
  /** The kind of change that this notification is about. */
  readonly change?: "list" | "resource";
  /** The methods whose earlier results this notification makes stale. */
  readonly invalidates?: readonly string[];
  /** The handler of a client that is called with this notification. */
  readonly hook?: string;
  /** May be sent twice without harm. */
  readonly repeatable?: boolean;
  /** Sent again and again, so that over HTTP its response is JSON. */
  readonly polled?: boolean;
  /** Of several that wait, the newest with the same values of these params is enough. */
  readonly coalesceBy?: readonly string[];
  /** Sets something that the session keeps, once for each value of these params. */
  readonly stateBy?: readonly string[];
  /** The method whose effect, for the same values, this one takes back. */
  readonly undoes?: string;
}

/** `schema/superset.json`: the decisions of the merged surface that the schemas cannot make. */
export interface SupersetFacts {
  /** Definitions that later revisions call differently: old name → new name. */
  readonly renames: { readonly [name: string]: string };
  /** Fields that the session fills in and so are optional on the merged params and results. */
  readonly filledIn: readonly string[];
  /** Definitions kept out of the public surface (S-047) besides those with a `jsonrpc` field. */
  readonly elided: readonly string[];
}

/** A run of revisions, both ends included. */
export interface Span {
  readonly since: string;
  /** Absent: to the newest. */
  readonly until?: string;
}

/** `schema/wire.json`: how messages travel, by revision. */
export interface Wire {
  readonly batches: Span;
  readonly primedStreams: Span;
  readonly versionHeader: Span;
  /** The revision of requests over HTTP that name none. */
  readonly assumed: string;
}

/** One revision as kept in `schema/<revision>/schema.json`. */
export interface RevisionSource {
  readonly revision: string;
  readonly document: SchemaDocument;
  /** SHA-256 of our schema file, in hexadecimal. */
  readonly sha256: string;
}

/** Where upstream is, as far as it is known: `schema/sources.json`. */
export interface Sources {
  [revision: string]: { url?: string; commit?: string; sha256: string };
}

/** The folder `schema/` of a checkout, read once. */
export interface Repository {
  readonly root: string;
  /** Oldest first. */
  readonly revisions: readonly RevisionSource[];
  readonly amendments: readonly Amendment[];
  readonly deprecations: readonly Deprecation[];
  readonly methods: { readonly [method: string]: MethodFacts };
  readonly superset: SupersetFacts;
  readonly wire: Wire;
  readonly sources: Sources;
}

const revisionPattern = /^\d{4}-\d{2}-\d{2}$/;

/** True for a revision's name, `YYYY-MM-DD`. */
export function isRevisionName(name: string): boolean {
  return revisionPattern.test(name);
}

/**
 * Reads `schema/` below `root`.
 *
 * @param own - A folder with further revisions, which come before those of `root`.
 * @throws CodegenError `invalid_document` when a schema file is not one.
 */
export function openRepository(root: string, own?: string): Repository {
  const folder = join(root, "schema");
  const found = new Map(readRevisions(folder).map((source) => [source.revision, source]));
  for (const source of own === undefined || !existsSync(own) ? [] : readRevisions(own)) {
    found.set(source.revision, source);
  }
  const revisions = [...found.values()].sort((a, b) => (a.revision < b.revision ? -1 : 1));
  const registry = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  return {
    root,
    revisions,
    amendments: registry("amendments") as Amendment[],
    deprecations: registry("deprecations") as Deprecation[],
    methods: registry("methods") as { [method: string]: MethodFacts },
    superset: registry("superset") as SupersetFacts,
    wire: registry("wire") as Wire,
    sources: registry("sources") as Sources,
  };
}

function readRevisions(folder: string): RevisionSource[] {
  return readdirSync(folder)
    .filter((name) => isRevisionName(name) && existsSync(join(folder, name, "schema.json")))
    .map((revision) => {
      const text = readFileSync(join(folder, revision, "schema.json"), "utf8");
      return {
        revision,
        document: parseDocument(text, `schema/${revision}/schema.json`),
        sha256: sha256(text),
      };
    });
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
