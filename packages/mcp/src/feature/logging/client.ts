import type { LoggingLevel, LoggingMessageNotificationParams } from "@tenon/protocol";

import type { ClientFeature } from "../../request/client/feature.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { ClientSession } from "../../request/client/session.ts";
import { isLoggingLevel } from "./level.ts";

/**
 * Called with log messages of a server. They are unverified input: never run them, and limit their
 * number and size.
 */
export type LogHandler = (
  message: LoggingMessageNotificationParams,
  session: ClientSession,
) => void | Promise<void>;

/**
 * The client's side of logging: takes `notifications/message`. Malformed messages are dropped.
 *
 * @source S-191
 */
export function loggingFeature(onLog: LogHandler | undefined): ClientFeature {
  return {
    notifications: {
      "notifications/message": (params, { session }) =>
        session !== undefined && isMessage(params) ? onLog?.(params, session) : undefined,
    },
  };
}

/**
 * Sends the client's log level to a legacy server, if one is set. An error does not fail the
 * session.
 */
export async function askForLogs(
  session: InnerClientSession,
  logLevel: LoggingLevel | undefined,
): Promise<void> {
  if (logLevel !== undefined && session.offers("logging/setLevel")) {
    await session.setLogLevel(logLevel).catch(session.onError);
  }
}

function isMessage(params: object): params is LoggingMessageNotificationParams {
  return "data" in params && "level" in params && isLoggingLevel(params.level);
}
