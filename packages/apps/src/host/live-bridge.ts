import { errorSink, isRecord, systemClock, type ResolvedLimits } from "@tenon/base";
import { ErrorCode, LocalError, Peer, RpcError, type Connection, type Scope } from "@tenon/jsonrpc2";
import type { CallToolResult, Implementation } from "@tenon/protocol";

import type { HostContext } from "../wire/context.ts";
import {
  hostNotifications,
  refusedCode,
  sandboxNotifications,
  teardown,
  versions,
  viewNotifications,
  viewRequests,
} from "../wire/names.ts";
import { audited, type ServeMethod } from "./audit.ts";
import type { ViewBridge } from "./bridge.ts";
import { cancellation } from "./cancellation.ts";
import { capabilitiesOf, grantedTo } from "./capabilities.ts";
import type { BridgeSession, ViewBridgeLimits, ViewBridgeOptions } from "./options.ts";
import { Outbox } from "./outbox.ts";
import { Rate } from "./rate.ts";
import { ToolIndex } from "./tool-index.ts";
import { viewRequestHandlers, type Params, type ServeRequest } from "./view-requests.ts";
import { viewTools } from "./view-tools.ts";

/** A bridge over a connection. */
export class LiveBridge implements ViewBridge {
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
  readonly listTools: ViewBridge["listTools"];
  readonly callTool: ViewBridge["callTool"];
  readonly #session: BridgeSession;
  readonly #options: ViewBridgeOptions;
  readonly #limits: ResolvedLimits<ViewBridgeLimits>;
  readonly #report: (error: unknown) => void;
  readonly #peer: Peer;
  readonly #tools: ToolIndex;
  readonly #outbox = new Outbox();
  readonly #rate: Rate;
  readonly #handlers: ReadonlyMap<string, ServeRequest>;
  readonly #answer: ServeMethod;
  #context: HostContext;
  #view: { readonly info: Implementation | undefined; readonly capabilities: Params } | undefined;
  #isReady = false;
  #hasSentView = false;
  #settle: (error?: LocalError) => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(
    session: BridgeSession,
    connection: Connection,
    options: ViewBridgeOptions,
    limits: ResolvedLimits<ViewBridgeLimits>,
  ) {
    const { clock = systemClock, tool } = options;
    this.#session = session;
    this.#options = options;
    this.#limits = limits;
    this.#report = errorSink(options.onError);
    this.#context = { ...(tool === undefined ? {} : { toolInfo: { tool } }), ...options.context };
    this.#tools = new ToolIndex(session, clock, limits.intervalMs);
    this.#rate = new Rate(clock, limits.maxMessages, limits.intervalMs);
    this.#answer = audited(
      (method, params, signal) => this.#serve(method, params, signal),
      options.onAudit,
      this.#report,
    );
    this.#handlers = viewRequestHandlers(
      {
        session,
        tools: this.#tools,
        context: () => this.#context,
        viewModes: () => {
          const declared: unknown = this.#view?.capabilities["availableDisplayModes"];
          return Array.isArray(declared) ? declared : undefined;
        },
        changeContext: (changes) => this.updateContext(changes),
        report: this.#report,
      },
      options,
    );
    const giveUp = (): void => {
      const message = `The view did not shake hands within ${limits.handshakeTimeoutMs} ms.`;
      this.#settle(new LocalError("TIMEOUT", message));
      void this.#peer.close();
    };
    const timer = clock.setTimeout(giveUp, limits.handshakeTimeoutMs, true);
    this.ready = new Promise<void>((resolve, reject) => {
      this.#settle = (error) => {
        clock.clearTimeout(timer);
        if (error === undefined) {
          resolve();
        } else {
          reject(error);
        }
      };
    });
    // Not every host waits for it.
    this.ready.catch(() => undefined);
    this.#peer = new Peer(connection, {
      cancellation,
      clock,
      onError: this.#report,
      limits: {
        maxInFlight: limits.maxInFlight,
        maxBacklog: limits.maxBacklog,
        timeoutMs: limits.toolTimeoutMs,
        drainMs: 0,
      },
      handler: (scope) => this.#receive(scope),
    });
    this.closed = this.#peer.closed.then(() => {
      const message = "The bridge ended before the view had shaken hands.";
      this.#settle(new LocalError("CONNECTION_CLOSED", message));
    });
    const { listTools, callTool } = viewTools(this.#peer, () => this.#view?.capabilities, limits);
    this.listTools = listTools;
    this.callTool = callTool;
  }

  get viewInfo(): Implementation | undefined {
    return this.#view?.info;
  }

  get hasTools(): boolean {
    return isRecord(this.#view?.capabilities["tools"]);
  }

  sendPartialInput(args: Params): void {
    this.#outbox.partialInput(args);
  }

  sendInput(args: Params): void {
    this.#outbox.input(args);
  }

  sendResult(result: CallToolResult): void {
    this.#outbox.result(result);
  }

  sendCancelled(reason?: string): void {
    this.#outbox.cancelled(reason);
  }

  updateContext(changes: HostContext): void {
    this.#context = { ...this.#context, ...changes };
    this.#sendIfReady(hostNotifications.contextChanged, changes);
  }

  toolsChanged(): void {
    this.#tools.clear();
    this.#sendIfReady("notifications/tools/list_changed", {});
  }

  close(reason?: string): Promise<void> {
    return (this.#closing ??= this.#end(reason));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(reason: string | undefined): Promise<void> {
    if (this.#isReady) {
      const params = reason === undefined ? {} : { reason };
      const timeoutMs = Math.max(1, this.#limits.teardownTimeoutMs);
      // The host removes the view even if it fails or takes too long.
      await this.#peer.call(teardown, params, { timeoutMs }).catch(() => undefined);
    }
    await this.#peer.close();
  }

  #send(method: string, params: object): void {
    this.#peer.notify(method, params).catch(this.#report);
  }

  #sendIfReady(method: string, params: object): void {
    if (this.#isReady) {
      this.#send(method, params);
    }
  }

  /** Receives a message of the view, within its limits. */
  #receive({ id, method, params: sent, signal }: Scope): unknown {
    const { maxMessages, intervalMs, maxParamsBytes } = this.#limits;
    const params = isRecord(sent) ? sent : {};
    const above = this.#rate.exceeds();
    if (above === 1) {
      const message = `The view sent more than ${maxMessages} messages in ${intervalMs} ms.`;
      this.#report(new LocalError("LIMIT_EXCEEDED", message));
    }
    const problem =
      above > 0
        ? "too many messages"
        : sizeOf(params) > maxParamsBytes
          ? `params exceed ${maxParamsBytes} bytes`
          : undefined;
    if (id === undefined) {
      return problem === undefined ? this.#notified(method, params) : undefined;
    }
    if (problem !== undefined) {
      throw new RpcError(refusedCode, `The host refused ${method.slice(0, 128)}: ${problem}.`);
    }
    return this.#answer(method, params, signal);
  }

  #serve(method: string, params: Params, signal: AbortSignal): unknown {
    if (method === viewRequests.initialize) {
      return this.#initialize(params);
    }
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 128)}`);
    }
    if (this.#view === undefined) {
      throw new RpcError(ErrorCode.InvalidRequest, "The view must send ui/initialize first.");
    }
    return handler(params, signal);
  }

  #initialize({ appInfo, appCapabilities }: Params): object {
    // A view may shake hands again: it was loaded again, or its framework has mounted it twice.
    this.#isReady = false;
    this.#outbox.hold();
    this.#view = {
      info: isRecord(appInfo) ? (appInfo as unknown as Implementation) : undefined,
      capabilities: isRecord(appCapabilities) ? appCapabilities : {},
    };
    return {
      protocolVersion: versions[0],
      hostInfo: this.#options.info,
      hostCapabilities: capabilitiesOf(this.#session, this.#options),
      hostContext: this.#context,
    };
  }

  #notified(method: string, params: Params): void {
    const { view, onResize, onTeardownRequested, onLog, onViewToolsChanged } = this.#options;
    switch (method) {
      case sandboxNotifications.proxyReady:
        // Sent once, because a view could request its document in a loop.
        if (view !== undefined && !this.#hasSentView) {
          this.#hasSentView = true;
          const { html, csp } = view;
          this.#send(sandboxNotifications.resourceReady, { html, csp, permissions: grantedTo(view) });
        }
        return;
      case viewNotifications.initialized:
        if (this.#view !== undefined && !this.#isReady) {
          this.#isReady = true;
          this.#outbox.open((...message) => this.#send(...message));
          this.#settle();
        }
        return;
      case viewNotifications.sizeChanged: {
        const { maxPixels } = this.#limits;
        const { width, height } = params;
        return onResize?.({ width: pixels(width, maxPixels), height: pixels(height, maxPixels) });
      }
      case viewNotifications.requestTeardown:
        return onTeardownRequested?.();
      case "notifications/message":
        return onLog?.({ level: params["level"], logger: params["logger"], data: params["data"] });
      case "notifications/tools/list_changed":
        return onViewToolsChanged?.();
    }
  }
}

function pixels(value: unknown, most: number): number | undefined {
  return typeof value === "number" && value >= 0 ? Math.min(value, most) : undefined;
}

function sizeOf(params: Params): number {
  return new TextEncoder().encode(JSON.stringify(params)).length;
}
