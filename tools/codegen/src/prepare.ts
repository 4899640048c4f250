import { amend } from "./amend.ts";
import { flatten } from "./flatten.ts";
import type { Repository, RevisionSource } from "./repository.ts";
import { constOf, rewriteAll } from "./schema.ts";
import type { Definitions } from "./schema.ts";

/**
 * The definitions of a revision as the emitters want them: amended, without `allOf`, message unions
 * always unions.
 */
export function prepare(source: RevisionSource, repository: Repository): Definitions {
  const amended = amend(source.document.definitions, source.revision, repository.amendments);
  return unionise(rewriteAll(amended, (node) => flatten(node, amended)));
}

const messageUnions = ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"];

/** Upstream's generator writes a union of one message as that message itself. */
function unionise(definitions: Definitions): Definitions {
  const out = { ...definitions };
  for (const union of messageUnions) {
    const method = constOf(definitions[union], "method");
    if (method === undefined) {
      continue;
    }
    const member = Object.keys(definitions).find(
      (name) => !messageUnions.includes(name) && constOf(definitions[name], "method") === method,
    );
    if (member !== undefined) {
      out[union] = { ...description(definitions, union), anyOf: [{ $ref: `#/$defs/${member}` }] };
    }
  }
  return out;
}

function description(definitions: Definitions, name: string): { description?: unknown } {
  const text = definitions[name]?.["description"];
  return text === undefined ? {} : { description: text };
}
