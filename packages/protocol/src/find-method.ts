import { methodTables } from "./gen/tables.ts";
import type { MethodInfo } from "./method.ts";

let rows: ReadonlyMap<string, MethodInfo> | undefined;
let changes: ReadonlyMap<string, MethodInfo> | undefined;

function allRows(): ReadonlyMap<string, MethodInfo> {
  rows ??= new Map(Object.values(methodTables).flatMap((table) => Object.entries(table)));
  return rows;
}

/**
 * Returns the row of the newest revision that has a method, or `undefined` if no revision has it.
 * For code that sees messages without knowing their revision.
 */
export function findMethod(method: string): MethodInfo | undefined {
  return allRows().get(method);
}

/** Returns the rows of the notifications of changes, of all revisions. */
export function changeNotifications(): ReadonlyMap<string, MethodInfo> {
  changes ??= new Map([...allRows()].filter(([, { change }]) => change !== undefined));
  return changes;
}

/**
 * Whether a JSON-RPC message may be sent twice without harm, in a new session or when a reused
 * connection turns out to be closed. A response may, because its ID settles one request only; a
 * batch may if all its messages may. Methods of extensions are not known here, so they may do harm.
 */
export function isRepeatable(message: object): boolean {
  return Array.isArray(message)
    ? message.every((each: object) => isRepeatable(each))
    : !("method" in message) ||
        (typeof message.method === "string" && findMethod(message.method)?.repeatable === true);
}
