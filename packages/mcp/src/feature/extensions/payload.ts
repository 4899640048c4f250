import { isRecord } from "@tenon/base";
import type { CheckResult, Source } from "@tenon/jsonschema/core";
import { resolveSchema } from "@tenon/jsonschema/lazy";

/** Describes why a payload is not valid. */
export type Refuse = (reasons: string) => Error;

/**
 * Checks what came over the wire against its description, leaving `_meta` aside, and revives it.
 */
export async function receive(
  source: unknown,
  payload: Readonly<Record<string, unknown>>,
  refuse: Refuse,
): Promise<unknown> {
  const { _meta, ...rest } = payload;
  return source === undefined ? rest : valueOf(await resolveSchema(source as Source).check(rest), refuse);
}

/** Validates a payload to be sent and converts it to JSON; `_meta` is kept. */
export async function send(source: unknown, payload: unknown, refuse: Refuse): Promise<object> {
  const meta = isRecord(payload) && isRecord(payload["_meta"]) ? { _meta: payload["_meta"] } : {};
  if (
    source !== undefined &&
    isRecord(payload) &&
    "_meta" in payload &&
    Object.getPrototypeOf(payload) === Object.prototype
  ) {
    const { _meta, ...rest } = payload;
    return { ...objectOf(await encoded(source, rest, refuse), refuse), ...meta };
  }
  return {
    ...objectOf(source === undefined ? payload : await encoded(source, payload, refuse), refuse),
    ...meta,
  };
}

async function encoded(source: unknown, payload: unknown, refuse: Refuse): Promise<unknown> {
  return valueOf(await resolveSchema(source as Source, { direction: "output" }).check(payload), refuse);
}

function objectOf(value: unknown, refuse: Refuse): object {
  if (!isRecord(value)) {
    throw refuse("an object is expected");
  }
  return value;
}

async function valueOf(result: CheckResult<unknown>, refuse: Refuse): Promise<unknown> {
  if (!result.valid) {
    const { explain } = await import("../explain.lazy.ts");
    throw refuse(explain(result.errors));
  }
  return result.value;
}
