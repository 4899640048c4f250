import type { LaneCaller } from "@tenon/host";
import type { ServerChange, ServerRequest, ServerSession } from "@tenon/mcp/server";
import type { Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool } from "@tenon/protocol";

/** Which clients of a proxy a change concerns. By default all of them. */
export type Audience = LaneCaller | undefined;

/** The servers behind a proxy. */
export interface ProxySource extends AsyncDisposable {
  /** The name, the version and the instructions that clients of the proxy see. */
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** The lists as a caller sees them. */
  tools(caller: LaneCaller, signal: AbortSignal): Promise<readonly Tool[]>;
  prompts(caller: LaneCaller, signal: AbortSignal): Promise<readonly Prompt[]>;
  resources(caller: LaneCaller, signal: AbortSignal): Promise<readonly Resource[]>;
  resourceTemplates(caller: LaneCaller, signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  /**
   * Handles `tools/call`, `prompts/get` and `resources/read`.
   *
   * @returns What a middleware must return: see `CallRelay.forward`.
   */
  forward(request: ServerRequest): Promise<object>;
  complete(request: ServerRequest, caller: LaneCaller): Promise<object>;
  /** Yields the updates of a resource. Absent if the source does not support subscriptions. */
  readonly watch?:
    | ((uri: string, caller: LaneCaller, signal: AbortSignal) => AsyncIterable<{ readonly uri: string }>)
    | undefined;
  /** The clients that see the same as a caller; `undefined` if all of them do. */
  audienceOf(caller: LaneCaller): Audience;
  /** Keeps the connections of a caller open, so that it is notified. @returns Ends that. */
  keep(caller: LaneCaller, signal: AbortSignal): Promise<() => void>;
  /** Notifies the servers that the roots of a client have changed. */
  rootsChanged(session: ServerSession): void;
  /** Sets the function that gets the changes of lists. Absent if the source reports none. */
  readonly onListChange?: ((listener: ListListener) => void) | undefined;
}

/** Gets the changes of lists, and the clients that they concern. */
export type ListListener = (change: ServerChange, audience: Audience) => void;
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
