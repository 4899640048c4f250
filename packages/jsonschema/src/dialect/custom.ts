import { SchemaError } from "../error.ts";
import type { CustomDialects, Vocabulary } from "../ir/keyword.ts";
import { withoutFragment } from "../reference/uri.ts";
import { isMembers } from "../value/members.ts";
import { content } from "../vocabulary/annotation.ts";
import { applicator, applicator2019, unevaluated } from "../vocabulary/applicator.ts";
import { core, core2019 } from "../vocabulary/core.ts";
import { format } from "../vocabulary/format.ts";
import { validation } from "../vocabulary/validation.ts";
import { dialectOf, standardDialect } from "./standard.ts";

const v2020 = "https://json-schema.org/draft/2020-12/vocab/";
const v2019 = "https://json-schema.org/draft/2019-09/vocab/";
const assertsFormats = `${v2020}format-assertion`;

/** The vocabularies this package implements, by URI. */
const vocabularies: ReadonlyMap<string, Vocabulary> = new Map<string, Vocabulary>([
  [`${v2020}core`, core],
  [`${v2020}applicator`, applicator],
  [`${v2020}unevaluated`, unevaluated],
  [`${v2020}validation`, validation],
  [`${v2020}meta-data`, {}],
  [`${v2020}format-annotation`, format],
  [assertsFormats, format],
  [`${v2020}content`, content],
  [`${v2019}core`, core2019],
  [`${v2019}applicator`, { ...applicator2019, ...unevaluated }],
  [`${v2019}validation`, validation],
  [`${v2019}meta-data`, {}],
  [`${v2019}format`, format],
  [`${v2019}content`, content],
]);

/**
 * The dialect of a custom metaschema (core §8.1): the keywords of the vocabularies it lists,
 * without a list those of its own dialect; `undefined` where there is no such metaschema.
 *
 * @throws SchemaError `unsupported-dialect` for a vocabulary that is required and not known
 */
export const customDialect: CustomDialects = (uri, find, location, fallback) => {
  const metaschema = find(withoutFragment(uri));
  if (!isMembers(metaschema) || metaschema["$schema"] === uri) {
    return undefined;
  }
  const { $vocabulary: declared, $schema: own } = metaschema;
  if (!isMembers(declared)) {
    if (typeof own !== "string") {
      return fallback;
    }
    return standardDialect(own) ?? customDialect(own, find, uri, fallback);
  }
  const known = Object.entries(declared).map(([name, required]) => {
    const vocabulary = vocabularies.get(name);
    if (vocabulary === undefined && required === true) {
      const message = `the vocabulary ${name} is not supported`;
      throw new SchemaError("unsupported-dialect", location, message, { uri: name });
    }
    return vocabulary ?? {};
  });
  return dialectOf(uri, known, assertsFormats in declared);
};
