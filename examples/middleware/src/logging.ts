import { getToolError, type ReceivingMiddleware, type ServerRequest } from "@tenon/sdk/server";

/** Writes one line per request and notification: its method, its duration and its error. */
export function logging(write: (line: string) => void): ReceivingMiddleware<ServerRequest> {
  return (next) => async (request) => {
    const started = performance.now();
    const done = (outcome: string): void =>
      write(`${request.method} ${outcome} ${(performance.now() - started).toFixed(1)} ms`);
    try {
      const result = await next(request);
      const error = getToolError(result);
      done(error === undefined ? "ok" : `failed: ${text(error)}`);
      return result;
    } catch (error) {
      done(`refused: ${text(error)}`);
      throw error;
    }
  };
}

function text(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
}
