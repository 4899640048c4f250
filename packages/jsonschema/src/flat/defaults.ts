import type { JSONSchema } from "../schema.ts";
import { has, isMembers } from "../value/members.ts";

/**
 * Makes what fills the missing properties of a value of a flat schema: in a copy, if there are any.
 */
export function flatDefaults(schema: JSONSchema): (value: unknown) => unknown {
  const { properties = {}, required = [] } = typeof schema === "boolean" ? {} : schema;
  const needed = new Set(required);
  const defaults = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    const stated = typeof property === "boolean" ? undefined : property.default;
    return stated === undefined || needed.has(name) ? [] : [[name, stated]];
  });
  return (value) => {
    if (!isMembers(value)) {
      return value;
    }
    let filled: Record<string, unknown> | undefined;
    for (const [name, stated] of defaults) {
      if (!has(value, name)) {
        (filled ??= { ...value })[name] = stated;
      }
    }
    return filled ?? value;
  };
}
