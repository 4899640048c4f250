import { content, contentAssertion, metaData } from "../vocabulary/annotation.ts";
import { applicator, applicator07, applicator2019, unevaluated } from "../vocabulary/applicator.ts";
import { core, core07, core2019 } from "../vocabulary/core.ts";
import { format } from "../vocabulary/format.ts";
import { validation, validation07 } from "../vocabulary/validation.ts";
import type { Dialect, Vocabulary } from "./keyword.ts";

const V2020 = "https://json-schema.org/draft/2020-12/";
const V2019 = "https://json-schema.org/draft/2019-09/";

const in2020: Readonly<Record<string, Vocabulary>> = {
  core,
  applicator,
  unevaluated,
  validation,
  "meta-data": metaData,
  "format-annotation": format,
  "format-assertion": format,
  content,
};
const in2019: Readonly<Record<string, Vocabulary>> = {
  core: core2019,
  applicator: { ...applicator2019, ...unevaluated },
  validation,
  "meta-data": metaData,
  format,
  content,
};
const in07: readonly Vocabulary[] = [core07, applicator07, validation07, metaData, format, contentAssertion];

/** The vocabulary with this URI, if this package implements it. */
export function vocabularyOf(uri: string): Vocabulary | undefined {
  for (const [base, table] of [[V2020, in2020] as const, [V2019, in2019] as const]) {
    const name = uri.slice(base.length + "vocab/".length);
    if (uri === `${base}vocab/${name}` && Object.hasOwn(table, name)) return table[name];
  }
  return undefined;
}

/** The vocabulary that makes `format` an assertion (validation §7.2.2). */
export const FORMAT_ASSERTION: string = `${V2020}vocab/format-assertion`;

/** A dialect made of vocabularies. */
export function dialectOf(
  uri: string,
  vocabularies: readonly Vocabulary[],
  assertFormats = false,
  legacy = false,
): Dialect {
  return {
    uri,
    keywords: new Map(vocabularies.flatMap((v) => Object.entries(v))),
    legacy,
    assertFormats,
  };
}

/** The dialects by the names of the `draft` option. */
export const DRAFTS: Readonly<Record<"2020-12" | "2019-09" | "draft-07", Dialect>> = {
  "2020-12": dialectOf(`${V2020}schema`, Object.values(in2020)),
  "2019-09": dialectOf(`${V2019}schema`, Object.values(in2019)),
  "draft-07": dialectOf("http://json-schema.org/draft-07/schema", in07, false, true),
};

/** The dialect a `$schema` names, with `http` or `https`, with or without an empty fragment. */
export function standardDialect(uri: string): Dialect | undefined {
  const name = uri.replace(/^https?:/, "").replace(/#$/, "");
  return Object.values(DRAFTS).find((dialect) => dialect.uri.replace(/^https?:/, "") === name);
}
