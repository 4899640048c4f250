import { isRecord, readLimits, type LimitRules } from "@tenon/base";
import { ErrorCode, isRpcError, LocalError, RpcError } from "@tenon/jsonrpc2/core";
import type { CallToolResult, Implementation } from "@tenon/protocol";

import type { HostCapabilities } from "../wire/capabilities.ts";
import type { HostContext } from "../wire/context.ts";
import { AppError } from "../wire/error.ts";
import {
  hostNotifications,
  refusedCode,
  teardown,
  versions,
  viewNotifications,
  viewRequests,
} from "../wire/names.ts";
import { Conversation, type Params, type ViewRequestOptions } from "./conversation.ts";
import { parentTransport } from "./parent.ts";
import { watchSize } from "./size.ts";
import { callViewTool, listTools, type ViewTool } from "./tools.ts";
import type { View, ViewLimits, ViewOptions } from "./view.ts";

const limitRules: LimitRules<ViewLimits> = {
  maxPending: [256, 1],
  maxInFlight: [16, 1],
  timeoutMs: [300_000, 1],
};

/**
 * Connects a view to its host: shakes hands, and reports the size of the document from then on.
 *
 * @throws What prevented the connection; `RpcError` if the host refuses; `AppError`
 *   `INVALID_MESSAGE` for a response without capabilities; `signal.reason`; `TypeError` for limits
 *   that are not valid.
 * @source SEP-1865
 */
export async function connectView(options: ViewOptions): Promise<View> {
  const { transport = parentTransport(), info, displayModes, signal, autoResize = true } = options;
  const report = options.onError ?? ((error) => console.error(error));
  const limits = readLimits(options.limits, limitRules);
  const tools = new Map(options.tools?.map((tool): [string, ViewTool] => [tool.name, tool]));
  const connection = await transport.connect({ signal });
  let view: View | undefined;
  let stop = (): void => undefined;
  let context: HostContext = {};
  /** Calls a handler of the user, whose errors and rejections are reported. */
  const run = (handler: (view: View) => unknown): void => {
    const ready = view;
    if (ready !== undefined) {
      Promise.resolve()
        .then(() => handler(ready))
        .catch(report);
    }
  };
  const conversation = new Conversation(
    connection,
    {
      onError: report,
      request: async (method, params, aborted) => {
        switch (method) {
          case "ping":
            return {};
          case teardown:
            stop();
            await (view && options.onTeardown?.(textOf(params["reason"]), view));
            return {};
          case "tools/list":
            return listTools(tools);
          case "tools/call":
            return callViewTool(tools, params, aborted);
          default:
            throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 128)}`);
        }
      },
      notification: (method, params) => {
        switch (method) {
          case hostNotifications.partialInput:
            return run((ready) => options.onPartialInput?.(argumentsOf(params), ready));
          case hostNotifications.input:
            return run((ready) => options.onInput?.(argumentsOf(params), ready));
          case hostNotifications.result:
            return run((ready) => options.onResult?.(params as unknown as CallToolResult, ready));
          case hostNotifications.cancelled:
            return run((ready) => options.onCancelled?.(textOf(params["reason"]), ready));
          case hostNotifications.contextChanged:
            context = { ...context, ...params };
            return run((ready) => options.onContext?.(context, ready));
          case "notifications/tools/list_changed":
            return run((ready) => options.onToolsChanged?.(ready));
        }
      },
    },
    limits,
  );
  void conversation.closed.then(() => stop());
  try {
    const appCapabilities = {
      ...(options.tools === undefined ? {} : { tools: { listChanged: true } }),
      ...(displayModes === undefined ? {} : { availableDisplayModes: displayModes }),
    };
    const params = { appInfo: info, appCapabilities, protocolVersion: versions[0] };
    const opened = await conversation.call(viewRequests.initialize, params, { signal });
    const { hostInfo, hostCapabilities, hostContext } = opened;
    if (!isRecord(hostCapabilities)) {
      throw new AppError("INVALID_MESSAGE", "The host must respond to ui/initialize with hostCapabilities.");
    }
    context = isRecord(hostContext) ? hostContext : {};
    view = viewOver(conversation, {
      hostInfo: hostInfo as Implementation | undefined,
      hostCapabilities,
      tools: options.tools && tools,
      context: () => context,
    });
    const ready = view;
    run(() => options.onContext?.(context, ready));
    await conversation.notify(viewNotifications.initialized);
    if (autoResize) {
      stop = watchSize((size) => void ready.resize(size).catch(report));
    }
    return ready;
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

interface Opened {
  readonly hostInfo: Implementation | undefined;
  readonly hostCapabilities: HostCapabilities;
  readonly tools: Map<string, ViewTool> | undefined;
  readonly context: () => HostContext;
}

function viewOver(conversation: Conversation, { hostInfo, hostCapabilities, tools, context }: Opened): View {
  const call = async (
    capability: keyof HostCapabilities,
    method: string,
    params: object | undefined,
    options: ViewRequestOptions | undefined,
  ): Promise<Params> => {
    if (hostCapabilities[capability] === undefined) {
      throw new AppError("CAPABILITY_MISSING", `The host must declare ${capability} to handle ${method}.`);
    }
    return conversation.call(method, params, options);
  };
  const ask = async (...args: Parameters<typeof call>): Promise<void> => {
    const refused = (cause?: unknown): AppError =>
      new AppError("REFUSED", `The host refused ${args[1]}.`, { cause });
    const result = await call(...args).catch((error: unknown) => {
      throw isRpcError(error) && error.code === refusedCode ? refused(error) : error;
    });
    if (result["isError"] === true) {
      throw refused();
    }
  };
  const toolsChanged = (change: (own: Map<string, ViewTool>) => void): Promise<void> => {
    if (tools === undefined) {
      const message = "Connect the view with tools, perhaps [], to add tools later.";
      return Promise.reject(new LocalError("INVALID_STATE", message));
    }
    change(tools);
    return conversation.notify("notifications/tools/list_changed");
  };
  const close = (): Promise<void> => conversation.close();
  return {
    hostInfo,
    hostCapabilities,
    get context() {
      return context();
    },
    closed: conversation.closed,
    callTool: (params, options) => call("serverTools", "tools/call", params, options) as Promise<never>,
    listTools: (params, options) => call("serverTools", "tools/list", params, options) as Promise<never>,
    listResources: (params, options) =>
      call("serverResources", "resources/list", params, options) as Promise<never>,
    readResource: (params, options) =>
      call("serverResources", "resources/read", params, options) as Promise<never>,
    sample: (params, options) =>
      call("sampling", "sampling/createMessage", params, options) as Promise<never>,
    openLink: (url, options) => ask("openLinks", viewRequests.openLink, { url }, options),
    download: (contents, options) => ask("downloadFile", viewRequests.download, { contents }, options),
    sendMessage: (content, options) => {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return ask("message", viewRequests.message, { role: "user", content: blocks }, options);
    },
    updateModelContext: (update, options) =>
      ask("updateModelContext", viewRequests.updateContext, update, options),
    requestDisplayMode: async (mode, options) => {
      if (context().availableDisplayModes?.includes(mode) !== true) {
        throw new AppError("CAPABILITY_MISSING", `The host does not offer the display mode ${mode}.`);
      }
      return (await conversation.call(viewRequests.displayMode, { mode }, options))["mode"] as typeof mode;
    },
    log: async (level, data, logger) => {
      if (hostCapabilities.logging !== undefined) {
        await conversation.notify("notifications/message", { level, data, logger });
      }
    },
    resize: (size) => conversation.notify(viewNotifications.sizeChanged, size),
    requestTeardown: () => conversation.notify(viewNotifications.requestTeardown),
    addTool: (tool) => toolsChanged((own) => own.set(tool.name, tool)),
    removeTools: (...names) => toolsChanged((own) => names.forEach((name) => own.delete(name))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function argumentsOf({ arguments: args }: Params): Params {
  return isRecord(args) ? args : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
