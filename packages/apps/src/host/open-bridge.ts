import { checkOptionNames, readLimits } from "@tenon/base";

import type { ViewBridge } from "./bridge.ts";
import { LiveBridge } from "./live-bridge.ts";
import { bridgeLimits, type BridgeSession, type ViewBridgeOptions } from "./options.ts";

/**
 * Connects a host to a view, which may call tools and read resources of one server: the server of
 * the session.
 *
 * @example
 * const view = await loadView(session, "ui://weather/chart");
 * const bridge = await openBridge(session, { transport, view, info: { name: "chat", version: "1.0.0" } });
 * bridge.sendInput({ city: "Berlin" });
 * bridge.sendResult(await session.callTool({ name: "forecast", arguments: { city: "Berlin" } }));
 *
 * @param session - The session with the server that the view comes from.
 * @throws What prevented the connection; `TypeError` for options that do not exist or are out of
 *   range.
 * @source SEP-1865, R-709
 */
export async function openBridge(session: BridgeSession, options: ViewBridgeOptions): Promise<ViewBridge> {
  checkOptionNames(
    "openBridge",
    options,
    [
      "transport info view tool context approve:function onOpenLink onMessage onModelContext",
      "onDownload onDisplayMode onSample onLog onResize onTeardownRequested onViewToolsChanged",
      "onAudit onError limits clock",
    ],
    bridgeLimits,
  );
  const limits = readLimits(options.limits, bridgeLimits);
  return new LiveBridge(session, await options.transport.connect(), options, limits);
}
