import type { Server } from "@tenon/mcp";

import { pause } from "./samples.ts";

/** Tools that send something before they answer, or make the server send something elsewhere. */
export function addStreamTools(server: Server): void {
  server.addTool({ name: "test_tool_with_progress", description: "Reports progress" }, async (_, context) => {
    for (const progress of [0, 50, 100]) {
      await context.progress(progress, 100, `Completed ${progress} of 100`);
      await pause(50);
    }
    return "done";
  });
  server.addTool({ name: "test_tool_with_logging", description: "Logs" }, async (_, context) => {
    for (const message of ["started", "working", "finished"]) {
      await context.log("info", message);
      await pause(50);
    }
    return "done";
  });
  server.addTool({ name: "test_logging_tool", description: "Logs if it is asked to" }, async (_, context) => {
    await context.log("info", "working");
    return "done";
  });
  server.addTool(
    { name: "test_reconnection", description: "Closes its stream; the answer comes when the client is back" },
    async (_, { http }) => {
      await pause(50);
      http?.closeStream?.();
      await pause(100);
      return "reconnected";
    },
  );
  let changes = 0;
  server.addTool({ name: "test_trigger_tool_change", description: "Changes the list of tools" }, () => {
    changes++;
    const name = `temporary_tool_${changes}`;
    server.addTool({ name, description: "Comes and goes" }, () => "gone");
    server.removeTools(name);
    return "changed";
  });
  server.addTool({ name: "test_trigger_prompt_change", description: "Changes the list of prompts" }, () => {
    changes++;
    const name = `temporary_prompt_${changes}`;
    server.addPrompt({ name, description: "Comes and goes" }, () => "gone");
    server.removePrompts(name);
    return "changed";
  });
}
