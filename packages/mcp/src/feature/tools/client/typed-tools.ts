import { lazy, type Lazy } from "../../../base/lazy.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import type { RequestOptions } from "../../../request/client/options.ts";
import type { TypedTools } from "../../../request/client/tools.ts";
import type { DefinedTool, ToolReference } from "../../../request/tool.ts";
import type * as typedCallModule from "./typed-call.lazy.ts";

/** Encodes and decodes calls of tools whose definitions are available. */
export const typedCalls: Lazy<typeof typedCallModule> = lazy(() => import("./typed-call.lazy.ts"));

/**
 * Whether a value is the definition of a tool: it has the property `input`, even if it is
 * `undefined`. Params of the protocol never have it.
 */
export function isToolReference(value: object): value is ToolReference {
  return "input" in value;
}

/** See `ClientSession.typed`. */
export function typedTools(
  session: InnerClientSession,
  tools: readonly DefinedTool[] | undefined,
): TypedTools<readonly DefinedTool[]> {
  const byName = new Map(tools?.map((tool) => [tool.name, tool]));
  const callTool = async (
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<unknown> => {
    const tool = byName.get(name);
    if (tool !== undefined) {
      return session.callTool(tool, args, options);
    }
    const result = await session.callTool({ name, arguments: args }, options);
    return typedCalls.use(({ plainOutput }) => plainOutput(name, result));
  };
  return { callTool } as TypedTools<readonly DefinedTool[]>;
}
