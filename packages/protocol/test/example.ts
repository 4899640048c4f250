import { latest, methodTables } from "@tenon/protocol";
import type { CallToolResult, Methods, Tool } from "@tenon/protocol";
import type { CallToolResult as ExactResult } from "@tenon/protocol/2026-07-28";

export const greet: Tool = { name: "greet", description: "Says hello.", inputSchema: { type: "object" } };

const exact: ExactResult = { resultType: "complete", content: [{ type: "text", text: "hi" }] };
export const result: CallToolResult = exact; // values of every version are assignable

export interface Session {
  request<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]>;
}

export const row = methodTables[latest]["tools/call"]; // facts about tools/call in the newest version
