// The program of a view. Its host has it try what views must not be able to do.
import { applyHostStyles, connectView, type ViewTool } from "@tenon/apps/view";

const target = (args: Readonly<Record<string, unknown>>): string => String(args["url"]);

/** Resolves when an element has loaded, and rejects if it has not. */
function loaded(element: HTMLElement): Promise<string> {
  return new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve("loaded"));
    element.addEventListener("error", () => reject(new Error("blocked")));
    // Frames that a policy blocks load an empty page.
    document.addEventListener("securitypolicyviolation", () => reject(new Error("blocked")));
    document.body.append(element);
  });
}

const attempts: Readonly<Record<string, (url: string) => unknown>> = {
  fetch: async (url) => (await fetch(url)).text(),
  script: (url) => loaded(Object.assign(document.createElement("script"), { src: url })),
  image: (url) => loaded(Object.assign(document.createElement("img"), { src: url })),
  frame: (url) => loaded(Object.assign(document.createElement("iframe"), { src: url })),
  eval: () => (Reflect.construct(Function, ["return 1"]) as () => unknown)(),
  parent: () => parent.document.title,
  top: (url) => {
    (top as Window).location.href = url;
  },
  storage: () => localStorage.length,
  cookie: () => document.cookie,
  open: (url) => (window.open(url) === null ? Promise.reject(new Error("blocked")) : "opened"),
  origin: () => origin,
  camera: () => document.featurePolicy?.allowsFeature("camera"),
  microphone: () => document.featurePolicy?.allowsFeature("microphone"),
  grow: () => {
    document.body.style.height = "777px";
  },
  spoof: () => {
    parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
  },
  reload: () => {
    setTimeout(() => {
      location.reload();
    });
  },
  navigate: (url) => {
    setTimeout(() => {
      location.href = url;
    });
  },
};

declare global {
  interface Document {
    /** What Chromium knows about permissions. */
    readonly featurePolicy?: { allowsFeature(name: string): boolean };
  }
}

const attempt: ViewTool = {
  name: "attempt",
  inputSchema: { type: "object" },
  handler: async (args) => {
    try {
      return `done: ${String(await attempts[String(args["kind"])]?.(target(args)))}`;
    } catch (error) {
      return `failed: ${error instanceof Error ? error.name : String(error)}`;
    }
  },
};

await connectView({
  info: { name: "chart", version: "1.0.0" },
  tools: [attempt],
  onContext: applyHostStyles,
  onInput: ({ city }, view) => view.log("info", { input: city }),
  onResult: async ({ content }, view) => {
    await view.log("info", { result: content });
    const again = await view.callTool({ name: "refresh" });
    await view.log("info", { refreshed: again.content, theme: document.documentElement.dataset["theme"] });
    const hidden = await view.callTool({ name: "delete" }).catch((error: unknown) => String(error));
    await view.log("info", { hidden });
  },
  onTeardown: (_, view) => view.log("info", { end: true }),
});
