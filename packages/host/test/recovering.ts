import { createVirtualClock, type VirtualClock } from "@tenon/jsonrpc2/testing";

import { Manager, type ManagerOptions } from "../src/index.ts";
import type { LocalServer } from "./fixture.ts";

const recoveryEvents = [
  "mcp_reconnecting",
  "mcp_reconnected",
  "mcp_reconnect_failed",
  "mcp_server_removed",
] as const;

/** Collects the events of recovery. */
export function watch(manager: Manager): { [name: string]: unknown }[] {
  const events: { [name: string]: unknown }[] = [];
  for (const name of recoveryEvents) {
    manager.on(name, (detail) => events.push({ name, ...detail }));
  }
  return events;
}

/** A manager whose clock the test moves. */
export interface Setting {
  readonly clock: VirtualClock;
  readonly manager: Manager;
  readonly events: { [name: string]: unknown }[];
}

/** Connects a manager to servers, and collects what it says of their recovery. */
export async function connected(
  servers: Record<string, LocalServer>,
  options: ManagerOptions = {},
): Promise<Setting> {
  const clock = createVirtualClock();
  const specs = Object.fromEntries(Object.entries(servers).map(([name, { spec }]) => [name, spec]));
  const manager = new Manager({ servers: specs, clock, random: () => 0, ...options });
  const events = watch(manager);
  await manager.connectAll();
  return { clock, manager, events };
}
