import type { Engine } from "./engine.ts";
import { ajv, ajvLikeMcp } from "./engines/ajv.ts";
import { ata } from "./engines/ata.ts";
import { cfworker } from "./engines/cfworker.ts";
import { hyperjump } from "./engines/hyperjump.ts";
import { schemasafe } from "./engines/schemasafe.ts";
import { tenonClosures, tenonCodegen } from "./engines/tenon.ts";
import { typebox } from "./engines/typebox.ts";
import { zSchema } from "./engines/z-schema.ts";

/** The one the others are compared with. */
export const baseline: Engine = ajv;

/** All libraries of the scoreboard. */
export const engines: readonly Engine[] = [
  tenonCodegen,
  tenonClosures,
  ajv,
  ajvLikeMcp,
  schemasafe,
  ata,
  typebox,
  hyperjump,
  cfworker,
  zSchema,
];
