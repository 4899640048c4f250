// The conformance kit in a page: over ports, over a channel, and over a window.
import type { Connection, ConnectOptions } from "@tenon/jsonrpc2";
import { transportConformance, type ConnectedPair, type ConformanceOptions } from "@tenon/jsonrpc2/testing";

import { broadcastTransport, listenOnBroadcast, portTransport, windowTransport } from "../../src/index.ts";
import type { KitHooks } from "../hooks.ts";
import type { FrameHooks } from "./frame.ts";

const checks = new Map<string, Map<string, () => Promise<void>>>();

function kit(of: string, factory: () => Promise<ConnectedPair>, options: ConformanceOptions): void {
  const own = new Map<string, () => Promise<void>>();
  checks.set(of, own);
  transportConformance({ test: (name, run) => own.set(name, run) }, factory, {
    checkTimeoutMs: 300_000,
    ...options,
  });
}

type FrameWindow = Window & FrameHooks;

async function openFrame(): Promise<{ inner: FrameWindow; remove(): Promise<void> }> {
  const frame = document.createElement("iframe");
  frame.src = "/frame";
  const loaded = new Promise((resolve) => {
    frame.addEventListener("load", resolve, { once: true });
  });
  document.body.append(frame);
  await loaded;
  return {
    inner: frame.contentWindow as FrameWindow,
    remove: () => Promise.resolve(frame.remove()),
  };
}

kit(
  "port",
  async () => {
    const { port1, port2 } = new MessageChannel();
    return Object.assign({
      left: await portTransport(port1).connect(),
      right: await portTransport(port2).connect(),
      inject: (text: string) => port1.postMessage(text),
    });
  },
  {
    connect: (options: ConnectOptions) => portTransport(new MessageChannel().port1).connect(options),
    inject: (pair, text) =>
      Promise.resolve((pair as ConnectedPair & { inject(text: string): void }).inject(text)),
  },
);

let channels = 0;

kit(
  "channel",
  async () => {
    const name = `channel ${channels++}`;
    let accept: (connection: Connection) => void = () => {};
    const accepted = new Promise<Connection>((resolve) => {
      accept = resolve;
    });
    const listener = listenOnBroadcast(name, {
      onConnection: async (transport) => accept(await transport.connect()),
    });
    const { inner, remove } = await openFrame();
    return {
      left: await inner.connectToChannel(name),
      right: await accepted,
      async release() {
        await listener.close();
        await remove();
      },
    };
  },
  {
    connect: (options) => {
      const name = `channel ${channels++}`;
      listenOnBroadcast(name, { onConnection: (transport) => transport.connect() });
      return broadcastTransport(name).connect(options);
    },
  },
);

kit(
  "window",
  async () => {
    const { inner, remove } = await openFrame();
    return Object.assign({
      left: await windowTransport(inner, { origin: location.origin }).connect(),
      right: await inner.connectToParent(),
      release: remove,
      inner,
    });
  },
  {
    connect: (options: ConnectOptions) => {
      const frame = document.createElement("iframe");
      document.body.append(frame);
      return windowTransport(frame.contentWindow as Window, { origin: location.origin }).connect(options);
    },
    inject: (pair, text) => {
      (pair as ConnectedPair & { inner: Window }).inner.postMessage(text, location.origin);
      return Promise.resolve();
    },
  },
);

/** Runs the checks of a kit one after the other. */
async function runKit(of: string): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  for (const [name, run] of checks.get(of) ?? []) {
    outcomes[name] = await run().then(() => "passed", String);
  }
  return outcomes;
}

const hooks: KitHooks = { runKit };
Object.assign(globalThis, hooks);
