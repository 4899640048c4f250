import { receivingMethod, RpcError, type ReceivingMiddleware, type ServerRequest } from "@tenon/sdk/server";

/** Whether the sender of a request may see and call a tool. */
export type MaySee = (request: ServerRequest, tool: string) => boolean | Promise<boolean>;

/**
 * Hides tools from users who may not use them, in the list and in calls alike: a call of a hidden
 * tool gets the same error as a call of an unknown tool. A tool is visible only if `maySee` returns
 * `true`; it is hidden if `maySee` throws or returns another value.
 */
export function visibleTools(maySee: MaySee): readonly ReceivingMiddleware<ServerRequest>[] {
  const allowed = async (request: ServerRequest, tool: unknown): Promise<boolean> => {
    try {
      const answer: unknown = typeof tool === "string" && (await maySee(request, tool));
      return answer === true;
    } catch {
      return false;
    }
  };
  return [
    receivingMethod("tools/list", async (request, next) => {
      const result = await next(request);
      const seen = await Promise.all(result.tools.map(({ name }) => allowed(request, name)));
      return { ...result, tools: result.tools.filter((_, index) => seen[index]) };
    }),
    receivingMethod("tools/call", async (request, next) => {
      const name: unknown = request.params.name;
      if (!(await allowed(request, name))) {
        throw new RpcError(-32602, `Unknown tool: ${String(name).slice(0, 128)}`);
      }
      return next(request);
    }),
  ];
}
