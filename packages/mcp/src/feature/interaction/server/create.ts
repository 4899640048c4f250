import type { Interaction } from "../../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import { InteractionByRequests } from "./by-requests/interaction.ts";
import { InteractionByResults } from "./by-results/interaction.ts";
import { firstRound, resume } from "./by-results/resume.ts";

/** Makes the interaction of a request that is about to ask for the first time. */
export function createInteraction(request: InnerServerRequest): Interaction {
  return request.rules.inputs === "requests"
    ? new InteractionByRequests(request)
    : new InteractionByResults(request, request.interactions, firstRound);
}

/** Makes the interaction of a retry. @throws `RpcError` `-32602` for state that is not accepted. */
export async function resumeInteraction(request: InnerServerRequest): Promise<Interaction> {
  const { interactions } = request;
  return new InteractionByResults(request, interactions, await resume(request, interactions));
}
