import { isRecord } from "@tenon/base";
import type { Random } from "@tenon/jsonschema/generate";

import type { Fault } from "./fault.ts";

type Direction = Fault["dir"];

/** Requests whose responses are expected. The oldest are forgotten first. */
const maxRequests = 10_000;

/** Decides which fault a message meets. One for each connection, because it counts messages. */
export type ChooseFault = (message: unknown, dir: Direction) => Fault | undefined;

/** Creates the decision for one connection. The first fault of the plan that applies is taken. */
export function createChooser(faults: readonly Fault[], random: Random): ChooseFault {
  const seen = faults.map(() => 0);
  const methods: Record<Direction, Map<string, string>> = { read: new Map(), write: new Map() };

  function methodOf(message: unknown, dir: Direction): string | undefined {
    if (!isRecord(message)) {
      return undefined;
    }
    const { method, id } = message;
    if (typeof method === "string") {
      const requests = methods[dir];
      if (id !== undefined) {
        requests.set(JSON.stringify(id), method);
        const [oldest] = requests.keys();
        if (requests.size > maxRequests && oldest !== undefined) {
          requests.delete(oldest);
        }
      }
      return method;
    }
    return methods[dir === "read" ? "write" : "read"].get(JSON.stringify(id));
  }

  return (message, dir) => {
    const method = methodOf(message, dir);
    let chosen: Fault | undefined;
    for (const [index, fault] of faults.entries()) {
      if (fault.dir !== dir || (fault.method !== undefined && fault.method !== method)) {
        continue;
      }
      const count = (seen[index] ?? 0) + 1;
      seen[index] = count;
      // Called for every message that the fault names, so other faults do not shift the numbers.
      const isChosen = fault.probability === undefined || random() < fault.probability;
      if (isChosen && (fault.nth === undefined || fault.nth === count)) {
        chosen ??= fault;
      }
    }
    return chosen;
  };
}
