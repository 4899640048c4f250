// Many servers in one process, told apart by their paths: /healthy/…, /slow/… that never answers, and /flapping/… that drops every second connection.
import { Server } from "@tenon/mcp";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

import { serve } from "../../http/programs/serve.mjs";

const server = new Server({ name: "fleet", version: "1.0.0" });
server.addTool({ name: "hello" }, () => "hello");
const handler = createStreamableHandler({ getServer: () => server });
let requests = 0;

await serve((request, response) => {
  const [, kind] = request.url.split("/");
  if (kind === "slow") {
    return;
  }
  if (kind === "flapping" && ++requests % 2 === 0) {
    request.socket.destroy();
    return;
  }
  void handler.node(request, response);
});
