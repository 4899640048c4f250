import { isRecord } from "@tenon/base";
import { MetaKey, type Era } from "@tenon/protocol";

/** The era and the stream of one message. */
export interface Placed {
  readonly stream?: string | undefined;
  readonly era?: Era | undefined;
}

/** The maximum number of requests without a response whose era is remembered. */
const maxOpen = 10_000;

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
      if (open.size < maxOpen) {
        open.set(stream, current);
      }
      if (meta["progressToken"] !== undefined && streams.size < maxOpen) {
        streams.set(JSON.stringify(meta["progressToken"]), stream);
      }
      return { stream, era: current };
    }
    const progress = isRecord(params) ? streams.get(JSON.stringify(params["progressToken"])) : undefined;
    return { ...(progress === undefined ? {} : { stream: progress }), era: current };
  }

  return (message) => {
    const first: unknown = Array.isArray(message) ? message[0] : message;
    return isRecord(first) ? one(first) : { era: current };
  };
}
