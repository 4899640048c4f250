import { content, contentAssertion, metaData } from "../vocabulary/annotation.ts";
import { applicator, applicator07, applicator2019, unevaluated } from "../vocabulary/applicator.ts";
import { core, core07, core2019 } from "../vocabulary/core.ts";
import { format } from "../vocabulary/format.ts";
import { validation, validation07 } from "../vocabulary/validation.ts";
import type { Dialect, Vocabulary } from "./keyword.ts";

const V2020 = "https://json-schema.org/draft/2020-12/vocab/";
const V2019 = "https://json-schema.org/draft/2019-09/vocab/";

/** The vocabularies this package implements, by URI. */
export const VOCABULARIES: ReadonlyMap<string, Vocabulary> = new Map<string, Vocabulary>([
  [`${V2020}core`, core],
  [`${V2020}applicator`, applicator],
  [`${V2020}unevaluated`, unevaluated],
  [`${V2020}validation`, validation],
  [`${V2020}meta-data`, metaData],
  [`${V2020}format-annotation`, format],
  [`${V2020}format-assertion`, format],
  [`${V2020}content`, content],
  [`${V2019}core`, core2019],
  [`${V2019}applicator`, { ...applicator2019, ...unevaluated }],
  [`${V2019}validation`, validation],
  [`${V2019}meta-data`, metaData],
  [`${V2019}format`, format],
  [`${V2019}content`, content],
]);

/** The vocabulary that makes `format` an assertion (validation §7.2.2). */
export const FORMAT_ASSERTION: string = `${V2020}format-assertion`;

/** A dialect made of vocabularies. */
export function dialectOf(uri: string, vocabularies: readonly Vocabulary[], assertFormats = false): Dialect {
  return {
    uri,
    keywords: new Map(vocabularies.flatMap((v) => Object.entries(v))),
    legacy: false,
    assertFormats,
  };
}

const draft2020 = dialectOf("https://json-schema.org/draft/2020-12/schema", [
  core,
  applicator,
  unevaluated,
  validation,
  metaData,
  format,
  content,
]);
const draft2019 = dialectOf("https://json-schema.org/draft/2019-09/schema", [
  core2019,
  applicator2019,
  unevaluated,
  validation,
  metaData,
  format,
  content,
]);
const draft07: Dialect = {
  ...dialectOf("http://json-schema.org/draft-07/schema", [
    core07,
    applicator07,
    validation07,
    metaData,
    format,
    contentAssertion,
  ]),
  legacy: true,
};

/** The dialects by the names of the `draft` option. */
export const DRAFTS: Readonly<Record<"2020-12" | "2019-09" | "draft-07", Dialect>> = {
  "2020-12": draft2020,
  "2019-09": draft2019,
  "draft-07": draft07,
};

/** The dialect a `$schema` names, with `http` or `https`, with or without an empty fragment. */
export function standardDialect(uri: string): Dialect | undefined {
  const name = uri.replace(/^https?:/, "").replace(/#$/, "");
  return [draft2020, draft2019, draft07].find((dialect) => dialect.uri.replace(/^https?:/, "") === name);
}
