import { membersOf } from "../document/values.ts";
import { checkOf, type SchemaCheck } from "./check.ts";

/** Whether an argument may have a value, by its own schema. */
export type Accepts = (argument: string, value: unknown) => boolean;

/**
 * Makes the check of single arguments. Each is compiled when it is first needed.
 *
 * @param inputSchema - The schema of all arguments.
 */
export function acceptanceOf(
  inputSchema: Readonly<Record<string, unknown>>,
  onWarning: (message: string) => void,
): Accepts {
  const checks = new Map<string, SchemaCheck>();
  return (argument, value) => {
    let check = checks.get(argument);
    if (check === undefined) {
      const { $defs } = inputSchema;
      const own = membersOf(membersOf(inputSchema["properties"])[argument]);
      check = checkOf({ ...own, ...($defs === undefined ? {} : { $defs }) }, onWarning);
      checks.set(argument, check);
    }
    return check(value) === undefined;
  };
}

/**
 * The value that strings of a URL mean: the first that is accepted of the string itself, a number
 * or a boolean, and a list of them. The schema decides, because references and alternatives hide
 * types.
 *
 * @param strings - Several strings if the parameter is repeated.
 * @param delimiter - Separates the items of one string; `undefined` if it has one item only.
 */
export function typedText(
  strings: readonly string[],
  delimiter: string | undefined,
  accepts: (value: unknown) => boolean,
): unknown {
  const [only = ""] = strings;
  const single = strings.length > 1 ? [] : [only, scalarOf(only)];
  const list = strings.length > 1 || delimiter === undefined ? strings : only.split(delimiter);
  const found = [...single, list, list.map(scalarOf)].find(accepts);
  return found ?? (strings.length > 1 ? strings : only);
}

/** A number or a boolean if the text is one. Longer numbers would be rounded. */
function scalarOf(text: string): unknown {
  return /^-?\d{1,15}(?:\.\d+)?$/.test(text)
    ? Number(text)
    : text === "true" || text === "false"
      ? text === "true"
      : text;
}
