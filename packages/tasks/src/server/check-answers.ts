import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { isMcpError, type InputContext, type InputMethod, type ServerExtensionHost } from "@tenon/mcp";

import type { TaskSnapshot } from "../engine/snapshot.ts";
import type { CallerFacts } from "./run-context.ts";

/**
 * Validates the responses to the open input requests of a task before they are stored: a stored
 * response is final, so an invalid response would end the task.
 *
 * @throws `RpcError` `-32602` with the key of the first invalid response.
 */
export async function checkAnswers(
  host: ServerExtensionHost<object>,
  { questions, data }: TaskSnapshot,
  answers: Readonly<Record<string, unknown>>,
  request: InputContext,
): Promise<void> {
  for (const [key, answer] of Object.entries(answers)) {
    const question = Object.hasOwn(questions, key) ? questions[key] : undefined;
    if (isRecord(question)) {
      await checkAnswer(host, key, question, answer, isRecord(data) ? (data as CallerFacts) : request);
    }
  }
}

async function checkAnswer(
  host: ServerExtensionHost<object>,
  key: string,
  { method, params }: Readonly<Record<string, unknown>>,
  answer: unknown,
  { revision, client }: InputContext,
): Promise<void> {
  let input;
  try {
    input = await host.inputFor(method as InputMethod, params as object, { revision, client });
  } catch {
    // An input request of a job, which only the job understands.
    return;
  }
  try {
    await input?.read(answer);
  } catch (error) {
    if (isMcpError(error)) {
      const problem = `The response to ${JSON.stringify(key)} is not valid: ${error.message}`;
      throw new RpcError(ErrorCode.InvalidParams, problem);
    }
    throw error;
  }
}
