import { isRecord } from "@tenon/base";
import { MetaKey, type Era } from "@tenon/protocol";

/** The era and the stream of one message. */
export interface Placed {
  readonly stream?: string | undefined;
  readonly era?: Era | undefined;
}

/** The maximum number of entries of a table. */
const maxOpen = 10_000;
/** The maximum length of an ID or a progress token in a table, as JSON. */
const maxKeyLength = 1_000;

/** Adds an entry to a table. The oldest entry is forgotten if the table is full. */
function remember<V>(table: Map<string, V>, key: string, value: V): void {
  const [oldest = ""] = table.keys();
  if (key.length <= maxKeyLength) {
    table.set(key, value);
  }
  if (table.size > maxOpen) {
    table.delete(oldest);
  }
}

/**
 * Finds the era and the stream of each message of one connection. Call it for each message, in
 * order.
 */
export function createPlacer(): (message: unknown) => Placed {
  const open = new Map<string, Era | undefined>();
  const streams = new Map<string, string>();
  let current: Era | undefined;

  function one(message: Readonly<Record<string, unknown>>): Placed {
    const { method, id, params } = message;
    const meta = isRecord(params) && isRecord(params["_meta"]) ? params["_meta"] : {};
    if (typeof method !== "string") {
      const stream = JSON.stringify(id);
      const era = open.get(stream) ?? current;
      open.delete(stream);
      return { stream, era };
    }
    if (method === "initialize") {
      current = "legacy";
    } else if (typeof meta[MetaKey.protocolVersion] === "string") {
      current = "modern";
    }
    if (id !== undefined) {
      const stream = JSON.stringify(id);
      remember(open, stream, current);
      if (meta["progressToken"] !== undefined) {
        remember(streams, JSON.stringify(meta["progressToken"]), stream);
      }
      return { stream, era: current };
    }
    const stream = isRecord(params) ? streams.get(JSON.stringify(params["progressToken"])) : undefined;
    return { stream, era: current };
  }

  return (message) => {
    const first: unknown = Array.isArray(message) ? message[0] : message;
    return isRecord(first) ? one(first) : { era: current };
  };
}
