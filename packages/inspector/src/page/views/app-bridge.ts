import {
  sandboxFrame,
  openBridge,
  type BridgeSession,
  type LoadedView,
  type ViewBridge,
} from "@tenon/apps/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { windowTransport } from "@tenon/transports-message";

import type { ViewMethod } from "../../wire/action.ts";
import type { ViewReport } from "../../wire/verdict.ts";
import { act } from "../api.ts";
import { text, type Schema } from "../form/shape.ts";
import { server } from "../servers.ts";
import { definitions, state } from "../store.ts";
import { drawnTheme } from "../theme.ts";

/** An action of a view, for the list below it. */
export interface ViewEvent {
  readonly title: string;
  readonly detail: unknown;
  readonly isProblem?: boolean;
}

/** A view for a frame, with the tool and its arguments. */
export interface ShownView {
  readonly tool: Schema;
  readonly view: ViewReport;
  readonly args: Schema;
  /** The address of the sandbox proxy. */
  readonly sandbox: string;
}

/** The session in the inspector, as far as a view may use it: of its own server alone. */
function remoteSession(): BridgeSession {
  const own = server.peek();
  const send = async (method: ViewMethod, params: unknown): Promise<never> => {
    try {
      return (await act({ do: "request", method, params: params as Schema }, own)) as never;
    } catch (error) {
      throw new RpcError(ErrorCode.InternalError, (error as Error).message);
    }
  };
  return {
    offers: (method: string) =>
      Object.hasOwn(state.peek()?.source.serverCapabilities ?? {}, method.slice(0, method.indexOf("/"))),
    callTool: (params: unknown) => send("tools/call", params),
    listResources: (params: unknown) => send("resources/list", params),
    readResource: (params: unknown) => send("resources/read", params),
    async *tools() {
      yield* (definitions.peek()?.tools ?? []) as never[];
    },
  };
}

function loaded({ uri, html, csp, prefersBorder }: ViewReport): LoadedView {
  return { uri, html, csp, permissions: [], requestedPermissions: [], domain: undefined, prefersBorder };
}

/**
 * Shows a view in a frame of the sandbox, and calls its tool. The view gets no permission, and
 * opens no link: both are listed.
 *
 * @returns A function that ends the view and removes the frame.
 */
export function showView(
  box: HTMLElement,
  { tool, view, args, sandbox }: ShownView,
  onEvent: (event: ViewEvent) => void,
): () => Promise<void> {
  let isEnded = false;
  const frame = document.createElement("iframe");
  frame.title = `View of ${String(tool["name"])}`;
  for (const [name, value] of Object.entries(sandboxFrame(sandbox, loaded(view)))) {
    frame.setAttribute(name, String(value));
  }
  box.append(frame);
  const session = remoteSession();
  const fail = (error: unknown): void => {
    if (!isEnded) {
      onEvent({ title: "problem", detail: (error as Error).message, isProblem: true });
    }
  };

  function open(): Promise<ViewBridge> {
    return openBridge(session, {
      transport: windowTransport(frame.contentWindow as Window, { origin: new URL(sandbox).origin }),
      info: { name: "tenon-inspector", version: "0.0.0" },
      view: loaded(view),
      tool: tool as never,
      context: { theme: drawnTheme() },
      onResize({ height }) {
        if (height !== undefined) {
          frame.style.height = `${Math.min(height, 2000)}px`;
        }
      },
      onLog: ({ level, data }) => onEvent({ title: `log ${text(level)}`, detail: data }),
      onAudit({ method, params, outcome }) {
        onEvent({ title: `${method}, ${outcome}`, detail: params, isProblem: outcome !== "done" });
      },
      onOpenLink: () => false,
      onMessage: () => true,
      onModelContext: () => true,
      onError: fail,
    });
  }

  /** Calls the tool. The view stays until the person ends it, even if the call fails. */
  async function run(bridge: ViewBridge): Promise<void> {
    const name = String(tool["name"]);
    bridge.ready.then(() => onEvent({ title: "ready", detail: bridge.viewInfo }), fail);
    bridge.sendInput(args);
    try {
      const result = await session.callTool({ name, arguments: args } as never);
      if (!isEnded) {
        bridge.sendResult(result);
      }
    } catch (error) {
      fail(error);
      if (!isEnded) {
        bridge.sendCancelled((error as Error).message);
      }
    }
  }

  const opening = open();
  opening.then(run).catch(fail);
  return async () => {
    isEnded = true;
    await opening.then(
      (bridge) => bridge.close(),
      () => undefined,
    );
    frame.remove();
  };
}
