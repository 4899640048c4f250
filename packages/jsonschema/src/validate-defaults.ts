import type { ValidatorState } from "./compile.ts";
import { SchemaError } from "./error.ts";
import { absoluteLocation, type Node } from "./ir/node.ts";

/**
 * @throws SchemaError `invalid-default` for the first `default` that does not conform to its schema
 */
export function validateDefaults({ program, closures, meter }: ValidatorState): void {
  for (const node of program.nodes) {
    if (typeof node.schema === "boolean" || node.schema["default"] === undefined) {
      continue;
    }
    // In draft-07 it has no effect: `$ref` hides all keywords next to it.
    if (node.resource.dialect.legacy && node.schema["$ref"] !== undefined) {
      continue;
    }
    meter.reset();
    if (!fits(node, node.schema["default"])) {
      const message = `the default ${JSON.stringify(node.schema["default"]).slice(0, 64)} does not conform to its schema`;
      throw new SchemaError("invalid-default", absoluteLocation(node, "default"), message);
    }
  }

  function fits(node: Node, value: unknown): boolean {
    try {
      return closures().check(node)(value);
    } catch (cause) {
      const message = "checking the default reaches a limit";
      throw new SchemaError("limit-exceeded", absoluteLocation(node, "default"), message, { cause });
    }
  }
}
