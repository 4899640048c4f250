import type { ChatModel } from "@tenon/inspector";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { fetchOf } from "../target/proxy.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openai } from "./openai.ts";
import { sendToVendor } from "./send.ts";
import type { Vendor } from "./vendor.ts";

const vendors: Readonly<Record<string, Vendor>> = { anthropic, openai, gemini };

/**
 * The models of a command by their names.
 *
 * @throws `CliError` if `--model-url` would get the keys of several vendors.
 */
export function openModels(invocation: Invocation, words: readonly string[]): ReadonlyMap<string, ChatModel> {
  const models = new Map(words.map((word) => [word, openModel(invocation, word)]));
  const names = [...new Set(words.map((word) => word.slice(0, word.indexOf(":"))))];
  if (names.length > 1 && invocation.flags.text("model-url") !== undefined) {
    const variables = names.map((name) => vendors[name]?.base[0]).join(" and ");
    throw usageError(
      `--model-url is the URL of one vendor; it would get the keys of ${names.join(" and ")}.`,
      `run tenon eval once for each vendor, or set ${variables}`,
    );
  }
  return models;
}

/**
 * The model of a vendor, such as `openai:gpt-5`. The key is read from the environment, and is sent
 * to the vendor alone.
 *
 * @throws `CliError` for an unknown vendor, for a key with other characters, and if there is no
 *   key for the vendor's own URL.
 */
function openModel(invocation: Invocation, word: string): ChatModel {
  const { flags, shell } = invocation;
  const [, name = "", model = ""] = /^(\w+):(.+)$/.exec(word) ?? [];
  const vendor = Object.hasOwn(vendors, name) ? vendors[name] : undefined;
  if (vendor === undefined) {
    const known = Object.keys(vendors).join(", ");
    throw usageError(
      `--model names a vendor (${known}) and a model; got ${JSON.stringify(word)}.`,
      "--model openai:gpt-5, or --model openai:llama3 --model-url http://localhost:11434/v1",
    );
  }
  const [baseVariable, official] = vendor.base;
  const url = flags.text("model-url") ?? shell.env[baseVariable];
  if (url !== undefined && !/^https?:\/\//.test(url)) {
    throw usageError(`The URL of a model begins with https:// or http://; got ${JSON.stringify(url)}.`);
  }
  const variable = vendor.keys.find((each) => (shell.env[each] ?? "") !== "");
  const key = variable === undefined ? undefined : shell.env[variable];
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw usageError(
      `${variable} must be visible ASCII characters without spaces; got others.`,
      `set ${variable} to the key alone`,
    );
  }
  // A model on this machine needs no key.
  if (key === undefined && url === undefined) {
    throw usageError(`There is no key for ${name}.`, `set ${vendor.keys.join(" or ")} in the environment`);
  }
  const base = (url ?? official).replace(/\/+$/, "");
  const send = fetchOf(invocation);
  return {
    name: word,
    async respond(request, signal) {
      const { path, headers, body } = vendor.request(model, key, request);
      const sent = { vendor: name, url: base + path, headers, key, body, fetch: send, signal };
      return vendor.response(await sendToVendor(sent), request);
    },
  };
}
