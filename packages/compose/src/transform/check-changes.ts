import { checkOptionNames, isThenable, kindOf, takeLateFailure } from "@tenon/base";

import type { ToolChanges, ToolTransform, Transform } from "./changes.ts";

const names = "name title description annotations:object hide arguments:object output tags:array" as const;

/**
 * Checks a transform that was given. A misspelt `hide` would offer the tool.
 *
 * @throws `TypeError` for a value that is not a transform.
 */
export function checkTransform(transform: Transform): void {
  if (typeof transform !== "function") {
    checkOptionNames<ToolTransform, `source tool tag ${typeof names}`>(
      "A transform",
      transform,
      `source tool tag ${names}`,
    );
    checkValues(transform);
  }
}

/** Checks what a function has returned. @throws `TypeError` for a value that is not a change. */
export function checkedChanges(returned: ToolChanges | undefined): ToolChanges | undefined {
  if (isThenable(returned)) {
    takeLateFailure(returned, () => {});
    throw new TypeError("A transform must return an object with changes, or undefined; got a promise.");
  }
  if (returned !== undefined) {
    checkOptionNames<ToolChanges, typeof names>("A transform", returned, names);
    checkValues(returned);
  }
  return returned;
}

function checkValues({ hide, arguments: changes = {} }: ToolChanges): void {
  if (hide !== undefined && typeof hide !== "boolean") {
    throw new TypeError(`hide of a transform must be true or false; got ${kindOf(hide)}.`);
  }
  for (const [name, change] of Object.entries(changes)) {
    checkOptionNames(`The argument ${name} of a transform`, change, "name description value");
  }
}
