import { absoluteLocation, type Node } from "../ir/node.ts";
import type { KeywordPlace, Reporter } from "./sink.ts";

/**
 * The place of a reporter: JSON Pointers that are known before any instance, relative to a base.
 */
export interface Place {
  /** The reporters made from the same base, by node. */
  readonly base: Map<Node, { readonly location: string; readonly report: Reporter }>;
  readonly location: string;
  /** `""` below array items and properties whose names are not known beforehand. */
  readonly instance: string;
}

/** A place that paths count from. */
export function newBase(): Place {
  return { base: new Map(), location: "", instance: "" };
}

/**
 * The place of a subschema, `step` further in the schema and `token` in the instance: `""` for the
 * same value. Without a token, it is for values whose location is only known when they are met.
 */
export function below({ base, location, instance }: Place, step: string, token?: string): Place {
  return { base, location: location + step, instance: token === undefined ? "" : instance + token };
}

/** The place of a keyword of the node. */
export function keywordAt(node: Node, place: Place, key: string): KeywordPlace {
  const keyword = node.names?.[key] ?? key;
  return {
    keyword,
    location: `${place.location}/${keyword}`,
    instance: place.instance,
    absolute: absoluteLocation(node, keyword),
  };
}
