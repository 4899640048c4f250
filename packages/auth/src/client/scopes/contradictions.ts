import { isRecord } from "@tenon/base";

import { keepNewest } from "../../shared/keep-newest.ts";

/** How long a contradiction is remembered: after its first occurrence, and at most. */
const [firstMs, maxMs] = [60_000, 3_600_000];
/** Maximum number of operations that are remembered. The oldest is forgotten. */
const maxOperations = 64;
/** A longer body than this, in characters, is not read for its name. */
const maxBody = 65_536;

/**
 * The operations that the server refused with fresh tokens while it accepted others with the same
 * tokens. To renew tokens for them would be of no use, and rotating refresh tokens would be used
 * up.
 */
export class Contradictions {
  readonly #operations = new Map<string, { readonly until: number; readonly lifeMs: number }>();

  /** Whether the tokens are not the reason why an operation is refused. */
  has(operation: object, now: number): boolean {
    return now < (this.#operations.get(operationName(operation))?.until ?? -Infinity);
  }

  /** Remembers an operation: each time for twice as long. */
  add(operation: object, now: number): void {
    const name = operationName(operation);
    const before = this.#operations.get(name)?.lifeMs ?? firstMs / 2;
    const lifeMs = Math.min(2 * before, maxMs);
    keepNewest(this.#operations, name, { until: now + lifeMs, lifeMs }, maxOperations);
  }
}

/** Names the operation of a request: its method, and the tool, the prompt or the resource. */
function operationName(operation: object): string {
  const { body } = operation as { readonly body?: unknown };
  if (typeof body !== "string" || body.length > maxBody) {
    return "";
  }
  try {
    const message: unknown = JSON.parse(body);
    const { method, params } = isRecord(message) ? message : {};
    const { name, uri } = isRecord(params) ? params : {};
    return JSON.stringify([method, name ?? uri]);
  } catch {
    return "";
  }
}
