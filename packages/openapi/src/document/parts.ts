import type { Pointers } from "./pointer.ts";
import { listOf, membersOf, type Members } from "./values.ts";

/** Maximum number of parts, repeated ones too: a hostile schema names itself a thousand times. */
const maxParts = 500;

/**
 * A schema and all that it is composed of by references and `allOf`, each once, nearest first.
 */
export function partsOf(schema: unknown, pointers: Pointers): readonly Members[] {
  const parts = new Set<Members>([membersOf(pointers.follow(schema))]);
  let steps = 0;
  // A set that grows while it is iterated is iterated to its end.
  for (const part of parts) {
    for (const further of listOf(part["allOf"])) {
      if (++steps > maxParts) {
        return [...parts];
      }
      parts.add(membersOf(pointers.follow(further)));
    }
  }
  return [...parts];
}
