import type { Vocabulary } from "../dialect/keyword.ts";
import type { KeywordReader } from "../ir/reader.ts";

const CONTENT: Readonly<Record<string, string>> = {
  "base64,": " base64",
  ",application/json": " json",
  "base64,application/json": " base64+json",
};

const read: KeywordReader = (reader, node) => {
  if (reader.options.formats !== "assert" || typeof node.schema === "boolean") return;
  const { contentEncoding = "", contentMediaType = "" } = node.schema;
  const name = CONTENT[`${String(contentEncoding)},${String(contentMediaType)}`];
  if (name !== undefined) node.content = reader.format(name);
};

/** Meta-data vocabulary (validation §9): annotations only. */
export const metaData: Vocabulary = {
  title: {},
  description: {},
  default: {},
  deprecated: {},
  readOnly: {},
  writeOnly: {},
  examples: {},
};

/** Content vocabulary (validation §8): annotations only; `contentSchema` is not applied. */
export const content: Vocabulary = {
  contentEncoding: {},
  contentMediaType: {},
  contentSchema: { holds: "schemas" },
};

/** Content keywords of draft-07 (validation draft-07 §8): checked along with formats, for base64 and JSON. */
export const contentAssertion: Vocabulary = { contentEncoding: { read }, contentMediaType: { read } };
