import { compose } from "@tenon/compose";
import { visibleTools } from "@tenon/operations";
import type { Manager } from "@tenon/sdk/host";
import type { Server } from "@tenon/sdk/server";

/** The servers of a manager as one server. Only administrators see tools that delete. */
export function createGateway(manager: Manager): Server {
  // #region gateway
  const gateway = compose(manager, { name: "gateway" });
  gateway.addReceivingMiddleware(
    ...visibleTools(({ auth }, tool) => !tool.includes("delete") || auth?.scopes?.includes("admin") === true),
  );
  // #endregion gateway
  return gateway;
}
