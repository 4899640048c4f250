// Our view: the same as the official one.
import { connectView } from "@tenon/apps/view";

await connectView({
  info: { name: "ours", version: "1.0.0" },
  onInput: (input, view) => view.log("info", { input }),
  onResult: async ({ content }, view) => {
    const refreshed = await view.callTool({ name: "refresh" });
    await view.log("info", { result: content, refreshed: refreshed.content });
  },
  onTeardown: (_, view) => view.log("info", { end: true }),
});
