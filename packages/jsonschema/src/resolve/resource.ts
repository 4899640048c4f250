import type { Dialect } from "../dialect/keyword.ts";
import type { RawSchema } from "../schema.ts";

/** A schema and the way to it. */
export interface Target {
  readonly schema: unknown;
  readonly resource: Resource;
  readonly pointer: string;
}

/** A schema resource (core §4.3.5): a root schema with a base URI, its anchors and its dialect. */
export interface Resource {
  /** Absolute where possible, without a fragment; `""` if nothing gives one. */
  readonly uri: string;
  readonly root: RawSchema | boolean;
  readonly dialect: Dialect;
  readonly anchors: Map<string, Target>;
  readonly dynamicAnchors: Map<string, Target>;
}
