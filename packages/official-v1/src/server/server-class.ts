import { Server as OfficialServer } from "mcp-sdk-1/server/index.js";
import type { Notification, Request, Result } from "mcp-sdk-1/types.js";

import { withLazyValidator } from "../shared/lazy-validator.ts";

/** The official `Server`. */
export const Server: typeof OfficialServer = withLazyValidator(OfficialServer);
/** The official `Server`. */
export type Server<
  RequestT extends Request = Request,
  NotificationT extends Notification = Notification,
  ResultT extends Result = Result,
> = OfficialServer<RequestT, NotificationT, ResultT>;
