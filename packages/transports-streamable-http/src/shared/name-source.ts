import { latest, methodTables } from "@tenon/protocol";

const sources: ReadonlyMap<string, string> = new Map(
  Object.entries(methodTables[latest]).flatMap(([method, { header }]): [string, string][] =>
    header === undefined ? [] : [[method, header]],
  ),
);

/** The param that `Mcp-Name` repeats, `undefined` for methods without. @source R-313 */
export function nameSource(method: string): string | undefined {
  return sources.get(method);
}
