import { Client as OfficialClient } from "mcp-sdk-1/client/index.js";
import type { Notification, Request, Result } from "mcp-sdk-1/types.js";

import { withLazyValidator } from "../shared/lazy-validator.ts";

/** The official `Client`. */
export const Client: typeof OfficialClient = withLazyValidator(OfficialClient);
/** The official `Client`. */
export type Client<
  RequestT extends Request = Request,
  NotificationT extends Notification = Notification,
  ResultT extends Result = Result,
> = OfficialClient<RequestT, NotificationT, ResultT>;
