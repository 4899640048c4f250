import type { Server } from "@tenon/mcp";
import { z } from "zod";

export function addPlan(server: Server): void {
  // #region prompt
  server.addPrompt(
    {
      name: "plan",
      arguments: z.object({
        beams: z.number().int().min(1).describe("How many"),
        wood: z.enum(["oak", "ash", "spruce"]).default("oak"),
      }),
    },
    ({ beams, wood }) => `A plan for ${beams * 2} tenons in ${wood}, please.`,
  );
  // #endregion prompt
}
