import { unknownTool, type ServerRequest } from "@tenon/mcp/server";
import type { Tool } from "@tenon/protocol";

/**
 * Returns whether the sender of a request may see and use a tool, by the name that clients see.
 *
 * @param definition - Returns the definition of the tool as clients see it, such as its
 *   annotations; `undefined` if the composition has no such tool. Before a call, it waits for the
 *   lists of the sources if they are not known.
 */
export type MaySeeTool = (
  request: ServerRequest,
  name: string,
  definition: () => Promise<Tool | undefined>,
) => boolean | Promise<boolean>;

/** Only `true` shows a tool: types do not hold at run time. */
async function isVisible(
  name: string,
  request: ServerRequest,
  maySee: MaySeeTool,
  definition: () => Promise<Tool | undefined>,
): Promise<boolean> {
  try {
    const answer: unknown = await maySee(request, name, definition);
    return answer === true;
  } catch {
    return false;
  }
}

/** The tools that the sender may see; the same array if that is all of them. */
export async function visible(
  tools: readonly Tool[],
  request: ServerRequest,
  maySee: MaySeeTool | undefined,
): Promise<readonly Tool[]> {
  if (maySee === undefined) {
    return tools;
  }
  const seen = await Promise.all(
    tools.map((tool) => isVisible(tool.name, request, maySee, () => Promise.resolve(tool))),
  );
  return seen.every(Boolean) ? tools : tools.filter((_, index) => seen[index]);
}

/**
 * Runs a call if its sender may see the tool.
 *
 * @throws `RpcError` `-32602` as for an unknown tool.
 */
export async function ifVisible(
  { name, request, maySee }: { name: string; request: ServerRequest; maySee: MaySeeTool | undefined },
  definition: () => Promise<Tool | undefined>,
  run: () => unknown,
): Promise<unknown> {
  if (maySee !== undefined && !(await isVisible(name, request, maySee, definition))) {
    throw unknownTool(name);
  }
  return run();
}
