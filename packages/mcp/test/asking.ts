import type { RequestContext, Server, ServerOptions } from "@tenon/mcp";
import { afterEach, beforeEach, expect } from "vitest";

import { modern, openWire, request, type Wire } from "./wire.ts";

/** A form with one required field. */
export const nameForm = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
} as const;

/** The `_meta` of a client that can be asked for everything but sampling with tools. */
export const meta = {
  ...modern,
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  },
};

/** A filled in {@link nameForm}. */
export const ada = { action: "accept", content: { name: "Ada" } };

/** What the server of {@link serve} answers. */
export interface Answer {
  readonly result: {
    readonly resultType: string;
    readonly inputRequests: Record<string, { readonly method: string; readonly params: object }>;
    readonly requestState: string;
    readonly content: [{ readonly text: string }];
    readonly isError?: boolean;
  };
  readonly error: { readonly code: number; readonly message: string };
}

/** Calls the tool `ask`, or what the params name. */
export function call(wire: Wire, id: number, params: object = {}): Promise<Answer> {
  return wire.ask(request(id, "tools/call", { name: "ask", _meta: meta, ...params })) as Promise<Answer>;
}

/** A server whose tools `ask` and `other` are the handler, and what reached its `onError`. */
export function serve(
  handler: (ctx: RequestContext, args: Record<string, unknown>) => unknown,
  options?: ServerOptions,
): Promise<Wire & { readonly errors: unknown[] }> {
  const errors: unknown[] = [];
  const setUp = (server: Server): void => {
    const input = { type: "object" } as const;
    server.addTool({ name: "ask", input }, (args, ctx) => handler(ctx, args as never) as string);
    server.addTool({ name: "other", input }, (args, ctx) => handler(ctx, args as never) as string);
  };
  return openWire({ onError: (error) => void errors.push(error), ...options }, setUp).then((wire) =>
    Object.assign(wire, { errors }),
  );
}

/** Lets every test of the file fail that leaves a rejection unhandled. */
export function forbidUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => {
    process.on("unhandledRejection", onUnhandled);
  });
  afterEach(async () => {
    // Node tells of unhandled rejections when the microtasks are done.
    await macrotask();
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled.splice(0)).toEqual([]);
  });
}

/** Lets a turn of the event loop go by. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
