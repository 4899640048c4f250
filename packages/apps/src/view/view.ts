import type { Transport } from "@tenon/jsonrpc2";
import type {
  CallToolResult,
  ContentBlock,
  CreateMessageRequestParams,
  CreateMessageResult,
  EmbeddedResource,
  Implementation,
  ListResourcesResult,
  LoggingLevel,
  ReadResourceResult,
  ResourceLink,
  Tool,
} from "@tenon/protocol";

import type { HostCapabilities } from "../wire/capabilities.ts";
import type { DisplayMode, HostContext } from "../wire/context.ts";
import type { ViewRequestOptions } from "./conversation.ts";
import type { ViewSize } from "./size.ts";
import type { ViewTool } from "./tools.ts";

/** Limits of a view. */
export interface ViewLimits {
  /** Maximum number of requests that wait for the host. Further ones reject. Default: `256`. */
  readonly maxPending?: number | undefined;
  /** Maximum number of the host's requests that run concurrently. Default: `16`. */
  readonly maxInFlight?: number | undefined;
  /**
   * Maximum time to wait for a response, in milliseconds. It includes the time of a user
   * who has to agree. Default: `300_000` (5 minutes).
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Options of `connectView`. Handlers get the view as their last argument, because the host may call
 * them before `connectView` resolves.
 */
export interface ViewOptions {
  /** Connects to the host. Default: the window that shows the view. */
  readonly transport?: Transport | undefined;
  /** Name and version of the view. */
  readonly info: Implementation;
  /** Called with the arguments of the tool, once. */
  readonly onInput?: ((args: Readonly<Record<string, unknown>>, view: View) => unknown) | undefined;
  /** Called with incomplete arguments while the model writes them. They may change. */
  readonly onPartialInput?: ((args: Readonly<Record<string, unknown>>, view: View) => unknown) | undefined;
  /** Called with the result of the tool. */
  readonly onResult?: ((result: CallToolResult, view: View) => unknown) | undefined;
  /** Called when the call of the tool was cancelled, with the reason if the host gave one. */
  readonly onCancelled?: ((reason: string | undefined, view: View) => unknown) | undefined;
  /** Called with the context of the host, when the view is connected and after every change. */
  readonly onContext?: ((context: HostContext, view: View) => unknown) | undefined;
  /** Called when the tools of the server have changed. */
  readonly onToolsChanged?: ((view: View) => unknown) | undefined;
  /** Called before the host removes the view. The host waits for the promise, but not for long. */
  readonly onTeardown?: ((reason: string | undefined, view: View) => unknown) | undefined;
  /** Called with errors that no caller gets. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Tools that the view offers. Give `[]` to add some later. By default the view offers none. */
  readonly tools?: readonly ViewTool[] | undefined;
  /** The display modes that the view supports. By default the view does not say. */
  readonly displayModes?: readonly DisplayMode[] | undefined;
  /** Whether the size of the document is reported to the host, in a browser. Default: `true`. */
  readonly autoResize?: boolean | undefined;
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal | undefined;
  /** Limits of the conversation. Each limit has its own default. */
  readonly limits?: ViewLimits | undefined;
}

/** The content of a context for the model. */
export interface ModelContext {
  readonly content?: readonly ContentBlock[] | undefined;
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The host, as a view sees it. Requests reject with `RpcError` for an error response of the host,
 * `AppError` `CAPABILITY_MISSING` if the host has not declared what they require, `signal.reason`,
 * and `LocalError` `TIMEOUT`, `CONNECTION_CLOSED` or `LIMIT_EXCEEDED`.
 */
export interface View extends AsyncDisposable {
  /** Name and version of the host. */
  readonly hostInfo: Implementation | undefined;
  readonly hostCapabilities: HostCapabilities;
  /** The context of the host with all changes so far. */
  readonly context: HostContext;
  /** Resolves when the connection to the host has ended. Never rejects. */
  readonly closed: Promise<void>;
  /**
   * Calls a tool of the server of the view. Only tools that are visible to views can be called. If
   * the tool failed, `isError` of the result is true.
   */
  callTool(
    params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
    options?: ViewRequestOptions,
  ): Promise<CallToolResult>;
  /** Returns one page of the tools that are visible to views. */
  listTools(
    params?: { readonly cursor?: string | undefined },
    options?: ViewRequestOptions,
  ): Promise<{ readonly tools: readonly Tool[]; readonly nextCursor?: string | undefined }>;
  /** Returns one page of the resources of the server of the view. */
  listResources(
    params?: { readonly cursor?: string | undefined },
    options?: ViewRequestOptions,
  ): Promise<ListResourcesResult>;
  /** Reads a resource of the server of the view. */
  readResource(params: { readonly uri: string }, options?: ViewRequestOptions): Promise<ReadResourceResult>;
  /** Has the model of the host write a message. Requires `sampling` of the host. */
  sample(params: CreateMessageRequestParams, options?: ViewRequestOptions): Promise<CreateMessageResult>;
  /** Opens a link in the browser of the user. @throws `AppError` `REFUSED`. */
  openLink(url: string, options?: ViewRequestOptions): Promise<void>;
  /** Has the host save files for the user. @throws `AppError` `REFUSED`. */
  download(
    contents: readonly (EmbeddedResource | ResourceLink)[],
    options?: ViewRequestOptions,
  ): Promise<void>;
  /**
   * Adds a message of the user to the conversation, to which the model responds.
   *
   * @param content - A string becomes text content.
   * @throws `AppError` `REFUSED`.
   */
  sendMessage(content: string | readonly ContentBlock[], options?: ViewRequestOptions): Promise<void>;
  /** Replaces what the model knows of the view. The model reads it in its next turn. */
  updateModelContext(context: ModelContext, options?: ViewRequestOptions): Promise<void>;
  /**
   * Requests a display mode that the host offers.
   *
   * @returns The mode of the view afterwards, which may be another.
   */
  requestDisplayMode(mode: DisplayMode, options?: ViewRequestOptions): Promise<DisplayMode>;
  /** Sends a log message to the host, if the host has declared `logging`. */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
  /** Reports the size of the view; `autoResize` does it by itself. */
  resize(size: ViewSize): Promise<void>;
  /** Requests that the host removes the view. */
  requestTeardown(): Promise<void>;
  /**
   * Adds a tool or replaces the tool of the same name, and notifies the host.
   *
   * @throws `LocalError` `INVALID_STATE` if the view was connected without `tools`.
   */
  addTool(tool: ViewTool): Promise<void>;
  /** Removes tools and notifies the host. Unknown names are ignored. */
  removeTools(...names: readonly string[]): Promise<void>;
  /** Ends the connection. Idempotent. */
  close(): Promise<void>;
}
