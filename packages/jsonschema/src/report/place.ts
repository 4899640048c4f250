import type { Node } from "../ir/node.ts";
import type { KeywordPlace, Reporter } from "./sink.ts";

/** Where a reporter was made for: JSON Pointers that are known before any instance is, from a base. */
export interface Place {
  /** The reporters made from the same base, by node. */
  readonly base: Map<Node, { readonly location: string; readonly report: Reporter }>;
  readonly location: string;
  /** `""` below array items and members whose names are not known beforehand. */
  readonly instance: string;
}

/** A place that paths count from. */
export function newBase(): Place {
  return { base: new Map(), location: "", instance: "" };
}

/** The place of a subschema: `step` further in the schema and, unless it looks at the same value, `token` in the instance. */
export function below(place: Place, step: string, token = ""): Place {
  return { base: place.base, location: place.location + step, instance: place.instance + token };
}

/** The place of a subschema for values whose location is only known when they are met. */
export function anywhere(place: Place, step: string): Place {
  return { base: place.base, location: place.location + step, instance: "" };
}

/** The place of a keyword of the node. */
export function keywordAt(node: Node, place: Place, key: string): KeywordPlace {
  const keyword = node.names?.[key] ?? key;
  return {
    keyword,
    location: `${place.location}/${keyword}`,
    instance: place.instance,
    absolute: `${node.resource.uri}#${node.pointer}/${keyword}`,
  };
}
