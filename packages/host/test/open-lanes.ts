import { Lanes, type CustomSpec, type LaneCaller, type LanesOptions } from "@tenon/host";
import { Client } from "@tenon/mcp";
import { onTestFinished } from "vitest";

/** Makes connections to a server in this process, without a proxy in front. */
export function openLanes({ transport }: CustomSpec, options: Partial<LanesOptions> = {}): Lanes {
  const lanes = new Lanes({
    async connect({ options: own, prepare }) {
      const client = new Client({ name: "proxy", version: "1.0.0" }, { ...own, onError: () => {} });
      prepare(client);
      return client.connect(transport());
    },
    ...options,
  });
  onTestFinished(() => lanes.close());
  return lanes;
}

/** A modern client, as lanes distinguish them. */
export function modernCaller(key: string, inputs: LaneCaller["inputs"] = {}): LaneCaller {
  return { key, session: undefined, inputs, asks: "results" };
}

/** A signal that does not abort. */
export const forever: AbortSignal = new AbortController().signal;
