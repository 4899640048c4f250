import { ErrorCode, LocalError, RpcError } from "@tenon/jsonrpc2/core";
import type { InputResponses } from "@tenon/protocol";

import type { Next } from "../../../../request/middleware.ts";
import { isInputRequired, type InputRequired } from "../../../../request/server/input-required.ts";
import type { Interaction, InteractionService } from "../../../../request/server/interaction.ts";
import type { InnerServerRequest } from "../../../../request/server/request.ts";
import { requireCapability } from "../require.ts";
import type { InteractionByRequests } from "./interaction.ts";

/**
 * Does for a legacy client what a modern client does itself: sends the input requests, and runs the
 * handler again with the responses.
 *
 * @source R-659
 */
export async function fulfilByRequests(
  request: InnerServerRequest,
  made: Interaction,
  next: Next<InnerServerRequest>,
  first: InputRequired,
): Promise<unknown> {
  const service = request.original.interactions;
  let last = first;
  const interaction = made as InteractionByRequests;
  for (let round = 0; round < service.limits.maxRounds; round++) {
    const inputs = Object.entries(last.inputRequests ?? {});
    if (inputs.length > service.limits.maxInputs) {
      throw limit(
        service,
        request,
        `A request may ask for ${service.limits.maxInputs} inputs at a time (maxInputs).`,
      );
    }
    const { rules, client } = request;
    for (const [, input] of inputs) {
      requireCapability(client.capabilities, { ...input, rules });
    }
    const answers = await Promise.all(
      inputs.map(async ([key, { method, params = {} }]) => [key, await interaction.call(method, params)]),
    );
    interaction.restart(last, Object.fromEntries(answers) as InputResponses);
    const result = await next(request);
    if (!isInputRequired(result)) {
      return result;
    }
    last = result;
  }
  throw limit(
    service,
    request,
    `Too many rounds of input requests: the limit is ${service.limits.maxRounds} (maxRounds).`,
  );
}

function limit(service: InteractionService, { method }: InnerServerRequest, message: string): RpcError {
  service.onError(new LocalError("LIMIT_EXCEEDED", `${method}: ${message}`));
  return new RpcError(ErrorCode.InternalError, message);
}
