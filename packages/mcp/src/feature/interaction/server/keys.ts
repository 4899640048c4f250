import { McpError } from "../../../base/error.ts";
import type { InputMethod } from "../../../request/input.ts";

/** The keys of one run of a handler. */
export class InputKeys {
  readonly #taken = new Set<string>();
  #count = 0;

  /**
   * The key for the next input of a run.
   *
   * @throws `McpError` `DUPLICATE_KEY`, or `INVALID_DEFINITION` for one that is not allowed.
   */
  take(method: InputMethod, key: string | undefined): string {
    this.#count++;
    if (key === undefined) {
      // "#" is not allowed in given keys, so the two kinds never meet.
      return `${method.slice(0, method.indexOf("/"))}#${this.#count}`;
    }
    return this.takeName(key, "input");
  }

  /** Registers a key that the handler has set. @throws As {@link take}. */
  takeName(name: string, kind: "input" | "step"): string {
    if (typeof name !== "string" || name === "" || name.length > 128 || name.includes("#")) {
      const got = JSON.stringify(name)?.slice(0, 140);
      throw new McpError(
        "INVALID_DEFINITION",
        `Name of an input or step must have 1 to 128 characters without "#"; got ${got}.`,
      );
    }
    const taken = `${kind} ${name}`;
    if (this.#taken.has(taken)) {
      throw new McpError(
        "DUPLICATE_KEY",
        `This request has the ${kind} ${JSON.stringify(name)} already; choose another key.`,
      );
    }
    this.#taken.add(taken);
    return name;
  }
}
