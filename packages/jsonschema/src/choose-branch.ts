import type { Node } from "./ir/node.ts";
import { branchesByType, discriminatorOf, slotOf } from "./ir/union.ts";
import { has, isMembers } from "./value/members.ts";

/** The branch of a union that certainly applies to a value. */
export type Chooser = (union: readonly Node[], value: unknown) => Node | undefined;

/**
 * Makes a function that chooses the branch of a union that certainly applies to a value. It
 * prepares each union once.
 */
export function createChooser(): Chooser {
  const choosers = new Map<readonly Node[], (value: unknown) => number | undefined>();

  function chooser(union: readonly Node[]): (value: unknown) => number | undefined {
    const discriminator = discriminatorOf(union);
    if (discriminator !== undefined) {
      const { key, branches } = discriminator;
      return (value) =>
        isMembers(value) && has(value, key) ? branches.get(value[key] as string) : undefined;
    }
    const byType = branchesByType(union);
    return (value) => {
      const able = byType?.[slotOf(value)] ?? [];
      return able.length === 1 ? able[0] : undefined;
    };
  }

  return (union, value) => {
    if (typeof value !== "object" || value === null) {
      return undefined;
    }
    let choose = choosers.get(union);
    if (choose === undefined) {
      choosers.set(union, (choose = chooser(union)));
    }
    return union[choose(value) ?? -1];
  };
}
