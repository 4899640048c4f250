import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { CreateMessageRequestParams } from "@tenon/protocol";

import type { DisplayMode, HostContext } from "../wire/context.ts";
import { AppError } from "../wire/error.ts";
import { viewRequests } from "../wire/names.ts";
import { blocksOf, isContent, isFiles, isSampled } from "./content.ts";
import type { BridgeSession, ViewBridgeOptions, ViewRequest } from "./options.ts";
import type { ToolIndex } from "./tool-index.ts";

/** Params of a message. */
export type Params = Readonly<Record<string, unknown>>;

/** Handles a request of a view. */
export type ServeRequest = (params: Params, signal: AbortSignal) => unknown;

/** The state of a bridge that the requests of a view depend on. */
export interface ViewState {
  readonly session: BridgeSession;
  readonly tools: ToolIndex;
  context(): HostContext;
  /** The display modes that the view supports; `undefined` if it has not said. */
  viewModes(): readonly unknown[] | undefined;
  /** Changes properties of the context, and sends them to the view. */
  changeContext(changes: HostContext): void;
  report(error: unknown): void;
}

/** The result of a request that the host or its user refused. */
export const refused: object = Object.freeze({ isError: true });

const longestUrl = 8192;
const modes: readonly unknown[] = ["inline", "fullscreen", "pip"] satisfies DisplayMode[];

/** Returns the handlers of the requests that a view may send after the handshake, by method. */
export function viewRequestHandlers(
  state: ViewState,
  options: ViewBridgeOptions,
): ReadonlyMap<string, ServeRequest> {
  const { session, tools } = state;
  const approve = async (request: ViewRequest): Promise<void> => {
    const isApproved: unknown = options.approve === undefined || (await options.approve(request));
    if (isApproved !== true) {
      throw new AppError("REFUSED", `The host refused ${request.method} of the view.`);
    }
  };
  const handlers = new Map<string, ServeRequest>([["ping", () => ({})]]);
  /**
   * Adds a request whose callback returns whether it was done. `refuse` makes the result of a
   * request that was not done.
   */
  const ask = <T>(
    method: string,
    callback: ((value: T) => unknown) | undefined,
    read: (params: Params) => T,
    refuse: () => object = () => refused,
  ): void => {
    if (callback !== undefined) {
      handlers.set(method, async (params) => {
        const outcome = await callback(read(params));
        if (typeof outcome !== "boolean") {
          state.report(
            new TypeError(`The callback for ${method} must return a boolean; got ${typeof outcome}.`),
          );
        }
        return outcome === true ? {} : refuse();
      });
    }
  };
  ask(viewRequests.openLink, options.onOpenLink, ({ url }) => readUrl(url));
  ask(viewRequests.download, options.onDownload, ({ contents }) =>
    isFiles(contents) ? contents : invalid("contents must be a list of resources and links to resources"),
  );
  ask(viewRequests.message, options.onMessage, ({ role, content }) => {
    const blocks = blocksOf(content);
    return role === "user" && isContent(blocks)
      ? blocks
      : invalid('role must be "user", and content a list of content blocks');
  });
  ask(
    viewRequests.updateContext,
    options.onModelContext,
    ({ content = [], structuredContent }) =>
      isContent(content) && (structuredContent === undefined || isRecord(structuredContent))
        ? { content, structuredContent }
        : invalid("content must be a list of content blocks, and structuredContent an object"),
    () => {
      // Its result has no isError.
      throw new AppError("REFUSED", `The host refused ${viewRequests.updateContext}.`);
    },
  );
  handlers.set(viewRequests.displayMode, async ({ mode }) => {
    const { displayMode = "inline", availableDisplayModes = [] } = state.context();
    const offered: readonly unknown[] = availableDisplayModes;
    if (!modes.includes(mode)) {
      return invalid(`mode must be one of ${modes.join(", ")}`);
    }
    if (!offered.includes(mode) || state.viewModes()?.includes(mode) === false) {
      return { mode: displayMode };
    }
    const chosen: unknown = (await options.onDisplayMode?.(mode as DisplayMode)) ?? displayMode;
    if (!modes.includes(chosen)) {
      state.report(new TypeError(`onDisplayMode must return a display mode; got ${typeof chosen}.`));
    }
    if (!modes.includes(chosen) || chosen === displayMode) {
      return { mode: displayMode };
    }
    state.changeContext({ displayMode: chosen as DisplayMode });
    return { mode: chosen };
  });
  const { onSample } = options;
  if (onSample !== undefined) {
    handlers.set("sampling/createMessage", async (params, signal) => {
      if (!Array.isArray(params["messages"])) {
        return invalid("messages must be a list");
      }
      if (params["tools"] !== undefined || params["toolChoice"] !== undefined) {
        return invalid("the host has not declared sampling.tools");
      }
      const sampled: unknown = await onSample(params as unknown as CreateMessageRequestParams, { signal });
      if (!isSampled(sampled)) {
        throw new TypeError("onSample must return a message with role, content and model.");
      }
      return sampled;
    });
  }
  if (session.offers("tools/call")) {
    handlers.set("tools/list", async () => ({ tools: [...(await tools.all()).values()] }));
    handlers.set("tools/call", async ({ name, arguments: args }, signal) => {
      if (typeof name !== "string" || (args !== undefined && !isRecord(args))) {
        return invalid("name must be a string, and arguments an object");
      }
      const tool = await tools.get(name);
      if (tool === undefined) {
        // The same for tools of the model, so that a view learns nothing of them.
        return invalid(`unknown tool ${JSON.stringify(name.slice(0, 128))}`);
      }
      const params = { name, ...(args === undefined ? {} : { arguments: args }) };
      await approve({ method: "tools/call", params, tool });
      return session.callTool(params, { signal });
    });
  }
  if (session.offers("resources/list")) {
    handlers.set("resources/list", ({ cursor }, signal) =>
      session.listResources(typeof cursor === "string" ? { cursor } : {}, { signal }),
    );
  }
  if (session.offers("resources/read")) {
    handlers.set("resources/read", async ({ uri }, signal) => {
      if (typeof uri !== "string") {
        return invalid("uri must be a string");
      }
      await approve({ method: "resources/read", params: { uri }, tool: undefined });
      return session.readResource({ uri }, { signal });
    });
  }
  return handlers;
}

function invalid(problem: string): never {
  throw new RpcError(ErrorCode.InvalidParams, `Invalid params: ${problem}.`);
}

function readUrl(url: unknown): URL {
  if (typeof url === "string" && url.length <= longestUrl && URL.canParse(url)) {
    const parsed = new URL(url);
    if (parsed.protocol === "https:" || parsed.protocol === "http:") {
      return parsed;
    }
  }
  return invalid(`url must be an http or https URL of up to ${longestUrl} characters`);
}
