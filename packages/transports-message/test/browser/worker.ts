// A worker that answers over the port that it is sent.
import { Peer } from "@tenon/jsonrpc2";

import { portTransport } from "../../src/index.ts";

async function serve(port: MessagePort): Promise<void> {
  const peer = new Peer(await portTransport(port).connect(), {
    handler({ method, params }) {
      if (method === "leave") {
        void peer.close({ drainMs: 0 });
      }
      return method === "never" ? new Promise(() => {}) : params;
    },
  });
}

globalThis.addEventListener("message", ({ data }: MessageEvent<{ port: MessagePort }>) => {
  void serve(data.port);
});
