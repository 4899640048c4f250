import { connectView } from "@tenon/apps/view";
import { expect, onTestFinished, test, vi } from "vitest";

interface Posted {
  readonly message: { readonly id?: number; readonly method?: string };
  readonly origin: string;
}

/** A window that shows a view, whose globals it replaces. */
function stubParent(): {
  readonly posted: Posted[];
  readonly send: (data: unknown, origin?: string, source?: unknown) => void;
  readonly listeners: Set<(message: object) => void>;
} {
  onTestFinished(() => void vi.unstubAllGlobals());
  const posted: Posted[] = [];
  const listeners = new Set<(message: object) => void>();
  const parent = {
    postMessage: (message: Posted["message"], origin: string) => posted.push({ message, origin }),
  };
  vi.stubGlobal("parent", parent);
  vi.stubGlobal("addEventListener", (_: string, listener: (message: object) => void) =>
    listeners.add(listener),
  );
  vi.stubGlobal("removeEventListener", (_: string, listener: (message: object) => void) =>
    listeners.delete(listener),
  );
  return {
    posted,
    listeners,
    send: (data, origin = "https://host.example", source = parent) => {
      listeners.forEach((listener) => {
        listener({ data, origin, source });
      });
    },
  };
}

const info = { name: "chart", version: "1.0.0" };
const opened = (id: unknown): object => ({
  jsonrpc: "2.0",
  id,
  result: { hostCapabilities: { openLinks: {} } },
});

test("a view takes messages of its parent only, and of the origin of the first one", async () => {
  const { posted, send, listeners } = stubParent();
  const heard: unknown[] = [];
  const connecting = connectView({ info, onInput: (args) => void heard.push(args) });
  await expect.poll(() => posted).toHaveLength(1);
  expect(posted[0]).toMatchObject({ origin: "*", message: { method: "ui/initialize" } });
  const id = posted[0]?.message.id;
  send(opened(id), "https://evil.example", {});
  for (const noise of [
    null,
    "text",
    [],
    { jsonrpc: "2.0" },
    { id, result: {} },
    { jsonrpc: "2.0", id: {}, result: {} },
  ]) {
    send(noise, "https://evil.example");
  }
  send(opened(id));
  const view = await connecting;
  const input = (city: string): object => ({
    jsonrpc: "2.0",
    method: "ui/notifications/tool-input",
    params: { arguments: { city } },
  });
  send(input("another origin"), "https://evil.example");
  send(input("another window"), "https://host.example", {});
  send(input("Berlin"));
  await expect.poll(() => heard).toEqual([{ city: "Berlin" }]);
  void view.openLink("https://example.com").catch(() => undefined);
  expect(posted.slice(1)).toMatchObject([
    { origin: "https://host.example", message: { method: "ui/notifications/initialized" } },
    { origin: "https://host.example", message: { method: "ui/open-link" } },
  ]);
  await view.close();
  await view.closed;
  expect(listeners.size).toBe(0);
  await expect(view.openLink("https://example.com")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("without a window that shows it, a view says how to connect", async () => {
  await expect(connectView({ info })).rejects.toThrow("Elsewhere, pass a transport to connectView.");
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("parent", globalThis);
  await expect(connectView({ info })).rejects.toThrow("A view runs in the frame of its host.");
});
