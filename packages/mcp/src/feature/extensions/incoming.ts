import { misfit } from "../../base/misfit.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import { receive, send } from "./payload.ts";

type Payload = Readonly<Record<string, unknown>>;

/**
 * Handles a request of an extension: validates its params, runs the handler, and validates the
 * result.
 */
export async function answerMethod<R>(
  { method, params, result }: MethodDefinition,
  handler: (params: never, request: R) => unknown,
  payload: Payload,
  request: R,
): Promise<object> {
  const returned = await handler((await receive(params, payload, refuseParams)) as never, request);
  return send(result, returned ?? {}, (reasons) => new Error(`Invalid result of ${method}: ${reasons}`));
}

/** Handles a notification of an extension: validates its params and runs the handler. */
export async function takeNotification<R>(
  { params }: NotificationDefinition,
  handler: (params: never, request: R) => unknown,
  payload: Payload,
  request: R,
): Promise<void> {
  await handler((await receive(params, payload, refuseParams)) as never, request);
}

const refuseParams = (reasons: string): Error => misfit("Invalid params", reasons);
