import type { ClientSession } from "@tenon/mcp";
import type { Tool } from "@tenon/protocol";

import { isVisibleTo } from "../wire/tool-view.ts";

/** The tools of a server that its views may call. */
export class ToolIndex {
  readonly #session: ClientSession;
  #tools: Promise<ReadonlyMap<string, Tool>> | undefined;

  constructor(session: ClientSession) {
    this.#session = session;
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

  /** Returns a tool that is visible to views. An unknown name is looked up once more. */
  async get(name: string): Promise<Tool | undefined> {
    const isKnown = this.#tools;
    const tool = (await this.all()).get(name);
    if (tool !== undefined || isKnown === undefined) {
      return tool;
    }
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
