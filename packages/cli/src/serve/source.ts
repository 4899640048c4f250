import type { ServerChange, ServerRequest } from "@tenon/mcp/server";
import type { Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool } from "@tenon/protocol";

/** The servers behind a proxy. */
export interface ProxySource extends AsyncDisposable {
  /** The name, the version and the instructions that clients of the proxy see. */
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  tools(signal: AbortSignal): Promise<readonly Tool[]>;
  prompts(signal: AbortSignal): Promise<readonly Prompt[]>;
  resources(signal: AbortSignal): Promise<readonly Resource[]>;
  resourceTemplates(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  callTool(name: string, args: Record<string, unknown>, request: ServerRequest): Promise<object>;
  getPrompt(name: string, args: Record<string, string>, request: ServerRequest): Promise<object>;
  readResource(uri: string, request: ServerRequest): Promise<object>;
  complete(params: Readonly<Record<string, unknown>>, request: ServerRequest): Promise<object>;
  /** Yields the updates of a resource. Absent if the source does not support subscriptions. */
  readonly watch?:
    | ((uri: string, signal: AbortSignal) => AsyncIterable<{ readonly uri: string }>)
    | undefined;
  /** Notifies the servers that the roots of a client have changed. */
  rootsChanged(): void;
  /** Sets the function that gets the changes of lists. Absent if the source reports none. */
  readonly onListChange?: ((listener: (change: ServerChange) => void) => void) | undefined;
}

/** The tools that a proxy offers. */
export interface ToolFilter {
  /** Patterns of names, with `*`. By default all tools are offered. */
  readonly allow: readonly string[];
  /** Whether only tools that are annotated as read-only are offered. */
  readonly readOnly: boolean;
}

/** Offers all tools. */
export const everyTool: ToolFilter = { allow: [], readOnly: false };

/** Whether a proxy offers a tool. */
export function isOffered({ allow, readOnly }: ToolFilter, { name, annotations }: Tool): boolean {
  const isAllowed = allow.length === 0 || allow.some((pattern) => matches(pattern, name));
  return isAllowed && (!readOnly || annotations?.readOnlyHint === true);
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[$()+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}
