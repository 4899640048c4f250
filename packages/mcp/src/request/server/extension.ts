import type { Clock } from "@tenon/base";
import type { CallOptions } from "@tenon/jsonrpc2";
import type { CallToolResult, Era, Revision, Tool } from "@tenon/protocol";

import type { NotificationDefinition } from "../extension.ts";
import type { Input, InputCallOptions, InputMethod } from "../input.ts";
import type { RequestContext } from "./context.ts";
import type { ServerRequest } from "./request.ts";

/** The request that extensions get: a {@link ServerRequest} that can be parked. */
export interface ExtensionRequest extends ServerRequest {
  /**
   * Declares that the handler only waits for events from now on, so that the request does not count
   * towards `limits.maxInFlight`.
   *
   * @param end - Called when the session or the server closes: the handler must then settle.
   * @returns A function to call when the handler continues its work.
   */
  park(end?: () => void): () => void;
}

/** A field of the filter of `subscriptions/listen`. Its value is a list of strings. */
export interface FilterField {
  /**
   * Returns the values that the client may listen to. A value that it leaves out is not
   * acknowledged; the client does not learn why.
   *
   * @param values - As asked for: strings of up to 1,024 characters, without duplicates.
   */
  accept(
    values: readonly string[],
    request: ExtensionRequest,
  ): readonly string[] | Promise<readonly string[]>;
  /** Called when nothing more will be sent for a request that `accept` was called with. */
  release?(request: ExtensionRequest): void;
}

/** The revision of a list of tools. */
export interface ListedIn {
  readonly revision: Revision;
  readonly era: Era;
}

/** A call of a tool that has the property of an extension. Its arguments are valid. */
export interface ExtensionToolCall<V = unknown> {
  /** The tool as it is listed. */
  readonly tool: Tool;
  /** The value of the property in the tool's definition. */
  readonly value: V;
  /** The arguments as received, plain JSON. */
  readonly rawArguments: Readonly<Record<string, unknown>>;
  /** The arguments as the handler gets them. */
  readonly arguments: unknown;
  readonly request: ExtensionRequest;
  /**
   * Runs the handler in this request, and returns the result of the call.
   *
   * @param context - The context of the handler. Default: the request.
   * @throws The `RpcError` of the handler; other errors become a result with `isError`.
   */
  run(context?: RequestContext): object | Promise<object>;
}

/** A property of tool definitions that an extension defines. */
export interface ToolOption<V = unknown> {
  /**
   * Checks the value of a tool.
   *
   * @throws An `Error` whose message describes the problem: `addTool` rejects the tool with it.
   */
  check?(value: unknown, tool: Tool): asserts value is V;
  /**
   * Properties that the tool has in lists of a revision. `_meta` is merged with the `_meta` of the
   * tool and of other options. The returned object is kept.
   */
  list?(value: V, listedIn: ListedIn): Partial<Tool> | undefined;
  /**
   * Handles a call of a tool that has the property: returns the result of
   * {@link ExtensionToolCall.run}, or with another result. A result type of its own must be
   * registered by {@link ServerExtensionHost.addResultType}.
   */
  call?(call: ExtensionToolCall<V>): object | Promise<object>;
  /**
   * Checks a call of a tool that does not have the property.
   *
   * @throws `RpcError` to reject the call.
   */
  checkOther?(tool: Tool, request: ExtensionRequest): void;
}

/** A request to a legacy client that a hook of an extension sends. */
export interface HookedCall extends Pick<RequestContext, "session" | "client" | "revision"> {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly options: InputCallOptions;
  /** Sends a request to the same client, on the same stream. It has no hook. */
  send(method: string, params: object, options?: CallOptions): Promise<unknown>;
}

/** Sends a request to a client, and returns the result as the client would. */
export type CallHook = (call: HookedCall) => Promise<unknown>;

/** The facts that determine how input is requested from a client. */
export type InputContext = Pick<RequestContext, "revision" | "client">;

/** The interface of a server for its extensions. */
export interface ServerExtensionHost<S = Readonly<Record<string, unknown>>> {
  readonly clock: Clock;
  /** The error sink of the server. */
  readonly onError: (error: unknown) => void;
  /**
   * The settings with which the client of a request declares the extension; `undefined` if the
   * client does not declare it, or its settings are invalid.
   */
  settingsOf(context: RequestContext): S | undefined;
  /**
   * Rejects the request of a client that does not declare the extension.
   *
   * @throws `RpcError` `-32021` in 2026-07-28, `-32601` before.
   */
  requireExtension(context: RequestContext): void;
  /**
   * Handles a method or notification of the protocol that the server itself does not handle, in the
   * revisions that have it: such as `tasks/get` of 2025-11-25.
   *
   * @param handler - Gets the params as received, not validated.
   * @throws `McpError` `INVALID_DEFINITION` for a method that no revision has, or that is handled.
   */
  handle(
    method: string,
    handler: (params: Readonly<Record<string, unknown>>, request: ExtensionRequest) => unknown,
  ): void;
  /**
   * Declares a capability of the protocol that the server itself does not declare, in the revisions
   * that have it.
   *
   * @param value - Called for each declaration, with a function that returns the value of another
   *   capability; `undefined` declares nothing.
   */
  addCapability(name: string, value: (other: (name: string) => unknown) => object | undefined): void;
  /**
   * Adds a field to the filter of `subscriptions/listen`. Requests with it get `-32021` from
   * clients that do not declare the extension.
   */
  addFilter(field: string, definition: FilterField): void;
  /** Notifies the clients that listen to a value of a filter field. */
  publish<P>(field: string, value: string, notification: NotificationDefinition<P>, params: object): void;
  /**
   * Allows results of a method to have a result type other than `complete`, towards clients that
   * declare the extension.
   */
  addResultType(method: string, resultType: string): void;
  /**
   * Sends the requests of a method to legacy clients in place of the server.
   *
   * @throws `McpError` `INVALID_DEFINITION` if the method has a hook.
   */
  addCallHook(method: string, hook: CallHook): void;
  /** Defines a property of tool definitions. It applies to the existing tools, too. */
  addToolOption<V>(name: string, option: ToolOption<V>): void;
  /**
   * Makes the input request that `elicit`, `sample` or `listRoots` of a context sends: for contexts
   * that an extension gives to handlers itself.
   *
   * @param params - As of `elicit` or `sample`; `{}` for `roots/list`.
   * @throws `McpError` as `elicit`.
   */
  inputFor(method: InputMethod, params: object, context: InputContext): Promise<Input<unknown>>;
  /** The tool of a name, as it is listed; `undefined` if there is none. */
  tool(name: string): Tool | undefined;
  /**
   * Runs a tool outside of its request: validates the arguments, runs the handler, and validates
   * the output.
   *
   * @param context - The context of the handler. Its `revision` decides the form of the result.
   * @throws `RpcError` `-32602` for an unknown tool or invalid arguments; the `RpcError` of the
   *   handler; a suspension that the handler threw (`isSuspension`).
   */
  runTool(name: string, args: unknown, context: RequestContext): Promise<CallToolResult>;
}
