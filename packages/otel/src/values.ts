import type { Attributes } from "@opentelemetry/api";

import type { Target } from "./describe.ts";
import { Attribute, other } from "./names.ts";

/**
 * The attributes of metrics whose values a program or a remote peer chooses. All others have few
 * values by construction.
 */
const open: readonly string[] = [
  Attribute.tool,
  Attribute.prompt,
  Attribute.errorType,
  Attribute.serverAddress,
  Attribute.serverPort,
];

/**
 * The values of attributes that have become series of metrics. Each attribute may have a number of
 * values; further values are reported as `_OTHER`.
 */
export class Values {
  readonly #max: number;
  readonly #known = new Map<string, Set<unknown>>();

  /** @param max - Maximum number of values of an attribute. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the name of a tool or of a prompt has become a series. */
  has({ attribute, name }: Target): boolean {
    return this.#known.get(attribute)?.has(name) === true;
  }

  /** Returns the attributes for a metric. */
  limited(attributes: Attributes): Attributes {
    let limited = attributes;
    for (const name of open) {
      const value = attributes[name];
      if (value !== undefined && !this.#admit(name, value)) {
        limited = { ...limited, [name]: other };
      }
    }
    return limited;
  }

  #admit(name: string, value: unknown): boolean {
    const values = this.#known.get(name) ?? new Set();
    if (values.size === 0) {
      this.#known.set(name, values);
    }
    if (values.has(value)) {
      return true;
    }
    if (values.size >= this.#max) {
      return false;
    }
    values.add(value);
    return true;
  }
}
