import type { Vocabulary } from "../dialect/keyword.ts";
import type { KeywordReader } from "../ir/reader.ts";

const note = { holds: "none" } as const;

const CONTENT: Readonly<Record<string, string>> = {
  "base64,": " base64",
  ",application/json": " json",
  "base64,application/json": " base64+json",
};

const content07: KeywordReader = (reader, node) => {
  if (reader.options.formats !== "assert" || typeof node.schema === "boolean") return;
  const { contentEncoding = "", contentMediaType = "" } = node.schema;
  const name = CONTENT[`${String(contentEncoding)},${String(contentMediaType)}`];
  if (name !== undefined) node.content = reader.format(name);
};

/** Meta-data vocabulary (validation §9): annotations only. */
export const metaData: Vocabulary = {
  title: note,
  description: note,
  default: note,
  deprecated: note,
  readOnly: note,
  writeOnly: note,
  examples: note,
};

/** Content vocabulary (validation §8): annotations only; `contentSchema` is not applied. */
export const content: Vocabulary = {
  contentEncoding: note,
  contentMediaType: note,
  contentSchema: { holds: "schema" },
};

/** Content keywords of draft-07 (validation draft-07 §8): checked along with formats, for base64 and JSON. */
export const contentAssertion: Vocabulary = {
  contentEncoding: { holds: "none", read: content07 },
  contentMediaType: { holds: "none", read: content07 },
};
