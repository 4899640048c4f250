import type { Clock } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { isVisibleTo } from "../wire/tool-view.ts";
import type { BridgeSession } from "./options.ts";

/** The tools of a server that its views may call. */
export class ToolIndex {
  readonly #session: BridgeSession;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined;
  /** The time of the last list for an unknown name: a view could call such names in a loop. */
  #lookedUp = -Infinity;

  /** @param intervalMs - Minimum time between two lists that are requested for unknown names. */
  constructor(session: BridgeSession, clock: Clock, intervalMs: number) {
    this.#session = session;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Forgets the tools, because they have changed. */
  clear(): void {
    this.#tools = undefined;
  }

  /** Returns the tools that are visible to views. */
  async all(): Promise<ReadonlyMap<string, Tool>> {
    const tools = (this.#tools ??= this.#read());
    try {
      return await tools;
    } catch (error) {
      if (this.#tools === tools) {
        this.clear();
      }
      throw error;
    }
  }

  /**
   * Returns a tool that is visible to views. For an unknown name the tools are listed again, once
   * per interval.
   */
  async get(name: string): Promise<Tool | undefined> {
    const tools = this.#tools;
    const tool = (await this.all()).get(name);
    const now = this.#clock.now();
    if (tool !== undefined || tools === undefined || now - this.#lookedUp < this.#intervalMs) {
      return tool;
    }
    this.#lookedUp = now;
    this.clear();
    return (await this.all()).get(name);
  }

  async #read(): Promise<ReadonlyMap<string, Tool>> {
    const tools = new Map<string, Tool>();
    for await (const tool of this.#session.tools()) {
      if (isVisibleTo(tool, "app")) {
        tools.set(tool.name, tool);
      }
    }
    return tools;
  }
}
