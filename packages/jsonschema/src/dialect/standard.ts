import type { Dialect, Vocabulary } from "../ir/keyword.ts";
import { content, contentAssertion } from "../vocabulary/annotation.ts";
import { applicator, applicator07, applicator2019, unevaluated } from "../vocabulary/applicator.ts";
import { core, core07, core2019 } from "../vocabulary/core.ts";
import { format } from "../vocabulary/format.ts";
import { validation, validation07 } from "../vocabulary/validation.ts";

/** A dialect made of vocabularies. */
export function dialectOf(uri: string, vocabularies: readonly Vocabulary[], assertFormats = false): Dialect {
  return {
    uri,
    keywords: new Map(vocabularies.flatMap((vocabulary) => Object.entries(vocabulary))),
    legacy: vocabularies.includes(core07),
    assertFormats,
  };
}

const host = "//json-schema.org/";

/** The dialects by the names of the `draft` option. */
export const drafts: Readonly<Record<"2020-12" | "2019-09" | "draft-07", Dialect>> = {
  "2020-12": dialectOf(`${host}draft/2020-12/schema`, [
    core,
    applicator,
    unevaluated,
    validation,
    format,
    content,
  ]),
  "2019-09": dialectOf(`${host}draft/2019-09/schema`, [
    core2019,
    applicator2019,
    unevaluated,
    validation,
    format,
    content,
  ]),
  "draft-07": dialectOf(`${host}draft-07/schema`, [
    core07,
    applicator07,
    validation07,
    format,
    contentAssertion,
  ]),
};

/** The dialect a `$schema` names, with `http` or `https`, with or without an empty fragment. */
export function standardDialect(uri: string): Dialect | undefined {
  const name = uri.replace(/^https?:|#$/g, "");
  return Object.values(drafts).find((dialect) => dialect.uri === name);
}
