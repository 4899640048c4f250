// A document in a frame. What it does is in its query.
import { Peer, type Connection } from "@tenon/jsonrpc2";

import { broadcastTransport, windowTransport } from "../../src/index.ts";

/** What the page around calls, if it has the same origin. */
export interface FrameHooks {
  connectToParent(): Promise<Connection>;
  connectToChannel(name: string): Promise<Connection>;
}

const hooks: FrameHooks = {
  connectToParent: () => windowTransport(window.parent, { origin: location.origin }).connect(),
  connectToChannel: (name) => broadcastTransport(name).connect(),
};
Object.assign(globalThis, hooks);

const query = new URLSearchParams(location.search);

async function serve(target: Window, origin: string): Promise<void> {
  const peer = new Peer(await windowTransport(target, { origin }).connect(), {
    handler({ method, params }) {
      if (method === "leave") {
        void peer.close({ drainMs: 0 });
      }
      return method === "never" ? new Promise(() => {}) : params;
    },
  });
  await peer.notify("ready", { at: location.search });
}

const origin = query.get("serve");
if (origin !== null) {
  void serve(window.opener === null ? window.parent : (window.opener as Window), origin);
}

// A program that does not use this package.
const said = query.get("say");
if (said !== null) {
  window.addEventListener("message", ({ source, data }: MessageEvent<{ id?: number; jsonrpc?: string }>) => {
    if (source === window.parent && data.jsonrpc === "2.0" && data.id !== undefined) {
      window.parent.postMessage({ jsonrpc: "2.0", id: data.id, result: { got: data } }, "*");
    }
  });
  window.parent.postMessage({ jsonrpc: "2.0", method: "said", params: { said } }, "*");
}
