import { isRecord, isThenable } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { CheckResult } from "@tenon/jsonschema/core";
import type { ContentBlock, GetPromptResult, Prompt, PromptMessage } from "@tenon/protocol";

import { misfit } from "../../../base/misfit.ts";
import type { Registry } from "../../../base/registry.ts";
import { isInputRequired, type InputRequired } from "../../../request/server/input-required.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { downConvertBlock, isContentBlock, text } from "../../content-blocks.ts";
import { explaining } from "../../resolve-schema.ts";
import { findPrompt } from "./find.ts";
import type { RegisteredPrompt } from "./register.ts";

/** The result of `prompts/get`. */
type PromptAnswer = GetPromptResult | InputRequired;

/**
 * Fills a prompt in: arguments in, messages out.
 *
 * @throws `RpcError` `-32602` for an unknown prompt and for invalid arguments.
 * @source
 */
export function getPrompt(
  prompts: Registry<RegisteredPrompt>,
  { name, arguments: given }: InnerServerRequest["params"],
  request: InnerServerRequest,
): PromptAnswer | Promise<PromptAnswer> {
  const registered = findPrompt(prompts, name);
  // null is treated as absent, and PHP writes an empty object as a list.
  const isNothing = given === null || (Array.isArray(given) && given.length === 0);
  const args = readArguments(registered, isNothing ? undefined : given);
  const run = (checked: CheckResult<unknown>): PromptAnswer | Promise<PromptAnswer> => {
    if (!checked.valid) {
      return explaining.use(({ explain }) => {
        throw misfit(`Invalid arguments for prompt ${registered.prompt.name}`, explain(checked.errors));
      });
    }
    const returned = registered.handler(checked.value as never, request);
    return isThenable(returned)
      ? Promise.resolve(returned).then((value) => resultOf(registered, value, request.rules))
      : resultOf(registered, returned, request.rules);
  };
  const checked = registered.schema?.check(args) ?? { valid: true, value: args };
  return checked instanceof Promise ? checked.then(run) : run(checked);
}

function readArguments({ prompt, readers }: RegisteredPrompt, given: unknown): object {
  if (given !== undefined && !isRecord(given)) {
    throw new RpcError(ErrorCode.InvalidParams, `The arguments of prompt ${prompt.name} must be an object`);
  }
  const missing = (prompt.arguments ?? []).filter(
    ({ name, required }) =>
      required === true &&
      // Some clients send null for arguments that they omit.
      (given === undefined || !Object.hasOwn(given, name) || given[name] === null),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name);
    const message = `Prompt ${prompt.name} needs the arguments ${names.join(", ")}`;
    throw new RpcError(ErrorCode.InvalidParams, message, { data: { missing: names } });
  }
  const args: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given ?? {})) {
    const read = readers.get(name);
    if (value === null) {
      continue;
    }
    if (typeof value !== "string") {
      throw new RpcError(
        ErrorCode.InvalidParams,
        `Argument ${name} of prompt ${prompt.name} must be a string`,
      );
    }
    if (read !== undefined) {
      args.push([name, read(value)]);
    }
  }
  // Unlike an assignment, this also creates a property named `__proto__`.
  return Object.fromEntries(args);
}

function resultOf({ prompt }: RegisteredPrompt, returned: unknown, rules: RevisionRules): PromptAnswer {
  if (isInputRequired(returned)) {
    return returned;
  }
  const result: GetPromptResult = isFullResult(returned)
    ? returned
    : {
        messages: (Array.isArray(returned) ? returned : [returned]).map((value) => messageOf(value, prompt)),
      };
  const { description } = prompt;
  return {
    ...(description === undefined ? {} : { description }),
    ...result,
    messages: result.messages.map((message) => downConvertMessage(message, rules)),
  };
}

function isFullResult(value: unknown): value is GetPromptResult {
  return isRecord(value) && Array.isArray(value["messages"]);
}

function messageOf(value: unknown, { name }: Prompt): PromptMessage {
  if (typeof value === "string") {
    return { role: "user", content: text(value) };
  }
  if (isContentBlock(value)) {
    return { role: "user", content: value };
  }
  if (isMessage(value)) {
    return value;
  }
  throw new TypeError(
    `The handler of prompt ${name} must return text, messages, content blocks or a result with messages.`,
  );
}

function isMessage(value: unknown): value is PromptMessage {
  return isRecord(value) && typeof value["role"] === "string" && isContentBlock(value["content"]);
}

function downConvertMessage(message: PromptMessage, rules: RevisionRules): PromptMessage {
  const content: ContentBlock = downConvertBlock(message.content, rules);
  return content === message.content ? message : { ...message, content };
}
