import type { Dialect } from "./keyword.ts";

/** A schema and the way to it. */
export interface Target {
  readonly schema: unknown;
  readonly resource: Resource;
  /** JSON Pointer inside the resource. */
  readonly pointer: string;
}

/** A schema resource (core §4.3.5): a base URI, the anchors below it and its dialect. */
export interface Resource {
  /** Absolute where possible, without a fragment; `""` if nothing gives one. */
  readonly uri: string;
  readonly dialect: Dialect;
  readonly anchors: Map<string, Target>;
  readonly dynamicAnchors: Map<string, Target>;
}

/** The URI of a schema, as errors name it. */
export function locationOf({ resource, pointer }: Pick<Target, "resource" | "pointer">): string {
  return `${resource.uri}#${pointer}`;
}
