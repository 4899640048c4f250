import type { ExtensionRequest } from "@tenon/mcp";

import { legacyRequests } from "../legacy/requests.ts";
import type { TaskServer } from "./call.ts";
import { resultOf } from "./legacy-result.ts";

/**
 * Serves the core feature of 2025-11-25.
 *
 * @param hasList - Whether clients can list their tasks.
 * @source R-670…R-683
 */
export function serveLegacy(shared: TaskServer, hasList: boolean): void {
  const { engine, host, ownerOf, polled } = shared;
  host.addCapability("tasks", () => ({
    ...(hasList ? { list: {} } : {}),
    cancel: {},
    requests: { tools: { call: {} } },
  }));
  const { find, get, cancel, list } = legacyRequests<ExtensionRequest>(engine, ownerOf);
  host.handle("tasks/get", async (params, request) => {
    const task = await get(params, request);
    polled(String(params["taskId"]));
    return task;
  });
  host.handle("tasks/cancel", cancel);
  host.handle("tasks/result", async ({ taskId }, request) =>
    resultOf(await find(taskId, request), request, shared),
  );
  if (hasList) {
    host.handle("tasks/list", list);
  }
}
