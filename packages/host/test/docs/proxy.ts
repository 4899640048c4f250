import { CallRelay, Lanes } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";

/** A proxy in front of the server that a new transport connects to. */
export function createProxy(transportToServer: () => Promise<Transport>): {
  readonly proxy: Server;
  close(): Promise<void>;
} {
  // #region proxy
  const relay = new CallRelay();
  const lanes = new Lanes({
    related: true,
    connect: async ({ options, prepare }) => {
      const client = new Client({ name: "proxy", version: "1.0.0" }, options);
      prepare(client);
      return client.connect(await transportToServer());
    },
  });
  const proxy = new Server({ name: "proxy", version: "1.0.0" });
  proxy.addReceivingMiddleware(
    (next) => (request) => (request.method === "tools/call" ? relay.forward(request, lanes) : next(request)),
  );
  // #endregion proxy
  return {
    proxy,
    async close() {
      await relay.close();
      await lanes.close();
      await proxy.close();
    },
  };
}
