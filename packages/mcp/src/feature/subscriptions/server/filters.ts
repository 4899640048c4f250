import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import type { InnerServerRequest } from "../../../request/server/request.ts";
import { listenKey, type ExtensionField, type ExtensionFields } from "./extension-fields.ts";
import type { Listen } from "./listens.ts";

/** Maximum length of a value of a field. */
const maxLength = 1024;

/**
 * Returns the fields of extensions in a filter, with the values that each extension accepts.
 *
 * @throws `RpcError` `-32602` for values that are not a list of strings, or too many; `-32021` if
 *   the client has not declared the extension.
 * @source R-534
 */
export async function acceptFields(
  asked: Readonly<Record<string, unknown>>,
  request: InnerServerRequest,
  fields: ReadonlyMap<string, ExtensionField>,
  maxValues: number,
): Promise<Record<string, readonly string[]>> {
  const own = [...fields].filter(([name]) => asked[name] !== undefined);
  const accepted = await Promise.allSettled(
    own.map(async ([name, field]) => {
      field.require(request);
      const values = checkValues(name, asked[name], maxValues);
      const allowed = new Set(await field.accept(values, request));
      return [name, values.filter((value) => allowed.has(value))] as const;
    }),
  );
  const failed = accepted.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") {
    own.forEach(([, field], index) => {
      if (accepted[index]?.status === "fulfilled") {
        field.release?.(request);
      }
    });
    throw failed.reason;
  }
  return Object.fromEntries(
    accepted.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : [])),
  );
}

/** Notifies the extensions with accepted fields of the end of the request. */
export function releaseFields(
  accepted: Readonly<Record<string, unknown>>,
  request: InnerServerRequest,
  fields: ReadonlyMap<string, ExtensionField>,
): void {
  for (const field of Object.keys(accepted)) {
    fields.get(field)?.release?.(request);
  }
}

/** Registers a listen for the values of its filter. @returns Removes it. */
export function enrol(
  listen: Listen,
  accepted: Readonly<Record<string, readonly string[]>>,
  { fields, listening }: ExtensionFields,
): () => void {
  const keys = Object.entries(accepted).flatMap(([field, values]) =>
    values.map((value) => listenKey(field, value)),
  );
  for (const key of keys) {
    const listens = listening.get(key) ?? new Set<Listen>();
    listening.set(key, listens.add(listen));
  }
  let isLeft = false;
  return () => {
    if (isLeft) {
      return;
    }
    isLeft = true;
    releaseFields(accepted, listen.request, fields);
    for (const key of keys) {
      const listens = listening.get(key);
      listens?.delete(listen);
      if (listens?.size === 0) {
        listening.delete(key);
      }
    }
  };
}

function checkValues(field: string, values: unknown, maxValues: number): readonly string[] {
  const isValid = (value: unknown): value is string =>
    typeof value === "string" && value.length > 0 && value.length <= maxLength;
  if (!Array.isArray(values) || values.length > maxValues || !values.every(isValid)) {
    const message = `${field} must be a list of up to ${maxValues} strings of 1 to ${maxLength} characters`;
    throw new RpcError(ErrorCode.InvalidParams, message);
  }
  return [...new Set(values)];
}
