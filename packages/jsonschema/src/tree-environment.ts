import { bounds } from "./build/bounds.ts";
import type { Environment } from "./compile.ts";
import { customDialect } from "./dialect/custom.ts";
import { metaschema } from "./dialect/metaschemas.ts";
import { formats } from "./format/index.ts";
import type { Node } from "./ir/node.ts";
import { errorsOf } from "./report/errors.ts";

/** The environment of code that needs the nodes of a schema and not only its validator. */
export const treeEnvironment: Environment<{ readonly root: Node }> = {
  formats,
  documents: metaschema,
  dialect: customDialect,
  bounds,
  errors: errorsOf,
  extras: ({ program }) => ({ root: program.root }),
};
