import type { Clock, LimitRules } from "@tenon/base";
import type { Transport } from "@tenon/jsonrpc2";
import type { ClientSession } from "@tenon/mcp";
import type {
  ContentBlock,
  CreateMessageRequestParams,
  CreateMessageResult,
  EmbeddedResource,
  Implementation,
  ResourceLink,
  Tool,
} from "@tenon/protocol";

import type { DisplayMode, HostContext } from "../wire/context.ts";
import type { LoadedView } from "./load-view.ts";

/** Limits of a bridge. */
export interface ViewBridgeLimits {
  /**
   * Maximum number of requests of a view that run concurrently. Further requests wait. Default:
   * `16`.
   */
  readonly maxInFlight?: number | undefined;
  /** Maximum number of requests that wait. Further ones are rejected. Default: `64`. */
  readonly maxBacklog?: number | undefined;
  /**
   * Maximum number of messages of a view per `intervalMs`. Above it requests are rejected, and
   * notifications dropped. Default: `300`.
   */
  readonly maxMessages?: number | undefined;
  /**
   * The interval of `maxMessages`, in milliseconds. For calls of unknown tools, the server's tools
   * are listed at most once per interval. Default: `10_000`.
   */
  readonly intervalMs?: number | undefined;
  /** Maximum size of the params of a message of a view, in bytes of JSON. Default: `1_048_576`. */
  readonly maxParamsBytes?: number | undefined;
  /** Maximum width and height that a view can ask for, in pixels. Default: `10_000`. */
  readonly maxPixels?: number | undefined;
  /** Maximum number of tools that a view can offer. Default: `50`. */
  readonly maxTools?: number | undefined;
  /** Maximum time that a tool of a view may take, in milliseconds. Default: `30_000`. */
  readonly toolTimeoutMs?: number | undefined;
  /** Maximum size of the result of a tool of a view, in bytes of JSON. Default: `10_485_760`. */
  readonly maxResultBytes?: number | undefined;
  /** Maximum time until the view has shaken hands, in milliseconds. Default: `60_000`. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** How long `close` waits for the view to finish, in milliseconds. Default: `1_000`. */
  readonly teardownTimeoutMs?: number | undefined;
}

/** The rules of {@link ViewBridgeLimits}. */
export const bridgeLimits: LimitRules<ViewBridgeLimits> = {
  maxInFlight: [16, 1],
  maxBacklog: [64, 0],
  maxMessages: [300, 1],
  intervalMs: [10_000, 1],
  maxParamsBytes: [1_048_576, 0],
  maxPixels: [10_000, 0],
  maxTools: [50, 0],
  toolTimeoutMs: [30_000, 1],
  maxResultBytes: [10_485_760, 0],
  handshakeTimeoutMs: [60_000, 1],
  teardownTimeoutMs: [1000, 0],
};

/**
 * The parts of a session that a bridge uses. A host whose session is in another process can
 * implement them.
 */
export type BridgeSession = Pick<
  ClientSession,
  "callTool" | "listResources" | "offers" | "readResource" | "tools"
>;

/** A request of a view to its server, before it is sent. */
export interface ViewRequest {
  readonly method: "tools/call" | "resources/read";
  readonly params: Readonly<Record<string, unknown>>;
  /** The tool that is to be called. */
  readonly tool: Tool | undefined;
}

/** A request of a view and what became of it. */
export interface AuditEntry {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** `refused`: by the host or the user. */
  readonly outcome: "done" | "refused" | "failed";
  /** The error of a request that failed or was refused by an error. */
  readonly error?: unknown;
}

/** A context for the model that a view has set. */
export interface ModelContextUpdate {
  readonly content: readonly ContentBlock[];
  readonly structuredContent: Readonly<Record<string, unknown>> | undefined;
}

/** A log message of a view. None of it has been checked. */
export interface ViewLogMessage {
  readonly level: unknown;
  readonly logger: unknown;
  readonly data: unknown;
}

/**
 * Options of `openBridge`. A callback for a request of the view declares the capability. Without
 * the callback, the request is rejected. A callback with a boolean result accepts the request by
 * `true`. Every other value refuses the request.
 */
export interface ViewBridgeOptions {
  /** Connects to the view. */
  readonly transport: Transport;
  /** Name and version of the host, as the view sees them. */
  readonly info: Implementation;
  /** The view, for a sandbox proxy that asks for it. */
  readonly view?: LoadedView | undefined;
  /** The tool whose call the view shows. */
  readonly tool?: Tool | undefined;
  /** The context of the host when the view starts. */
  readonly context?: HostContext | undefined;
  /**
   * Returns whether a view may call a tool or read a resource of its server. By default it may call
   * the tools that are visible to views, and read all resources.
   */
  readonly approve?: ((request: ViewRequest) => boolean | Promise<boolean>) | undefined;
  /** Opens an `http` or `https` link, after the user has agreed. Returns whether it was opened. */
  readonly onOpenLink?: ((url: URL) => boolean | Promise<boolean>) | undefined;
  /** Adds a message of the user to the conversation. Returns whether it was added. */
  readonly onMessage?: ((content: readonly ContentBlock[]) => boolean | Promise<boolean>) | undefined;
  /**
   * Replaces the context that the model gets in its next turn. Returns whether it was replaced.
   */
  readonly onModelContext?: ((context: ModelContextUpdate) => boolean | Promise<boolean>) | undefined;
  /** Saves files for the user, after the user has agreed. Returns whether they were saved. */
  readonly onDownload?:
    | ((files: readonly (EmbeddedResource | ResourceLink)[]) => boolean | Promise<boolean>)
    | undefined;
  /**
   * Changes the display mode to one that `context` and the view offer. Returns the mode of the view
   * afterwards.
   */
  readonly onDisplayMode?: ((mode: DisplayMode) => DisplayMode | Promise<DisplayMode>) | undefined;
  /** Has the model write a message, after the user has agreed. The params have not been checked. */
  readonly onSample?:
    | ((
        params: CreateMessageRequestParams,
        options: { readonly signal: AbortSignal },
      ) => CreateMessageResult | Promise<CreateMessageResult>)
    | undefined;
  /** Called with log messages of the view. */
  readonly onLog?: ((message: ViewLogMessage) => void) | undefined;
  /** Called with the size of the view's document, in pixels. Set the size of the frame to it. */
  readonly onResize?:
    | ((size: { readonly width: number | undefined; readonly height: number | undefined }) => void)
    | undefined;
  /** Called when the view requests its end. To agree, call `close` of the bridge. */
  readonly onTeardownRequested?: (() => void) | undefined;
  /** Called when the tools that the view offers have changed. */
  readonly onViewToolsChanged?: (() => void) | undefined;
  /** Called with every request of the view. */
  readonly onAudit?: ((entry: AuditEntry) => void) | undefined;
  /** Called with errors that no caller gets. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Limits of the view. Each limit has its own default. */
  readonly limits?: ViewBridgeLimits | undefined;
  /** The clock. Tests pass a virtual clock. By default the clock of the platform. */
  readonly clock?: Clock | undefined;
}
