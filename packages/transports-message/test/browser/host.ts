// A page with frames, popups and workers, driven by the tests.
import { isLocalError, Peer, type Transport } from "@tenon/jsonrpc2";

import { broadcastTransport, listenOnBroadcast, portTransport, windowTransport } from "../../src/index.ts";
import type { HostHooks } from "../hooks.ts";

interface Opened {
  readonly peer: Peer;
  readonly transport: Transport;
  readonly heard: object[];
  readonly warnings: string[];
  readonly remove: () => void;
  readonly frame?: HTMLIFrameElement;
}

const all: Opened[] = [];

async function opened(
  transport: Transport,
  rest: Partial<Pick<Opened, "remove" | "frame" | "warnings">> = {},
): Promise<number> {
  const heard: object[] = [];
  const peer = new Peer(await transport.connect(), {
    handler({ method, params }) {
      heard.push({ method, params });
      return params;
    },
    onError: () => {},
  });
  return all.push({ peer, transport, heard, warnings: [], remove() {}, ...rest }) - 1;
}

const at = (n: number): Opened =>
  all[n] ??
  (() => {
    throw new Error(`There is no connection ${n}.`);
  })();

function append(src: string, sandbox?: string): { frame: HTMLIFrameElement; loaded: Promise<unknown> } {
  const frame = document.createElement("iframe");
  if (sandbox !== undefined) {
    frame.setAttribute("sandbox", sandbox);
  }
  frame.src = src;
  const loaded = loadOf(frame);
  document.body.append(frame);
  return { frame, loaded };
}

function loadOf(frame: HTMLIFrameElement): Promise<unknown> {
  return new Promise((resolve) => {
    frame.addEventListener("load", resolve, { once: true });
  });
}

async function until<T>(items: () => T[], count: number): Promise<T[]> {
  while (items().length < count) {
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  return items();
}

const hooks: HostHooks = {
  async frame(src, origin, sandbox) {
    const { frame, loaded } = append(src, sandbox);
    const warnings: string[] = [];
    const transport = windowTransport(frame.contentWindow as Window, {
      origin,
      onWarning: (message) => warnings.push(message),
    });
    const n = await opened(transport, { frame, warnings, remove: () => frame.remove() });
    await loaded;
    return n;
  },
  async bystander(src) {
    await append(src).loaded;
  },
  popup(src, origin) {
    const popup = window.open(src) as Window;
    return opened(windowTransport(popup, { origin }), { remove: () => popup.close() });
  },
  worker(src) {
    const worker = new Worker(src, { type: "module" });
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ port: port2 }, [port2]);
    return opened(portTransport(port1), { remove: () => worker.terminate() });
  },
  async load(n, src) {
    const { frame } = at(n);
    if (frame !== undefined) {
      const loaded = loadOf(frame);
      frame.src = src;
      await loaded;
    }
  },
  again(n) {
    const { transport, remove } = at(n);
    return opened(transport, { remove });
  },
  remove: (n) => Promise.resolve(at(n).remove()),
  call: (n, method, params) =>
    at(n)
      .peer.call(method, params)
      .catch((error: unknown) => (isLocalError(error) ? error.code : String(error))),
  async ended(n) {
    const { error } = await at(n).peer.closed;
    return error instanceof Error ? error.message : "";
  },
  heard: (n, count) => until(() => at(n).heard, count),
  warned: (n, count) => until(() => at(n).warnings, count),
  listen(channel) {
    return new Promise((resolve) => {
      listenOnBroadcast(channel, {
        onConnection: async (transport) => resolve(await opened(transport)),
      });
    });
  },
  dial: (channel) => opened(broadcastTransport(channel)),
};
Object.assign(globalThis, hooks);
