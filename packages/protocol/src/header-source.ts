/**
 * The key under which the params of an extension's request name the param that the `Mcp-Name`
 * header repeats. JSON does not contain it, so it does not leave the process.
 */
export const headerSource: unique symbol = Symbol.for("@tenon/protocol/headerSource") as never;
