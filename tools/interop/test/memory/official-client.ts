import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@tenon/sdk/client";

import { bridge } from "./bridge.ts";
import { answers } from "./feature.ts";

const info = { name: "official", version: "1.0.0" };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

/** An official client of any version, in what the checks need of it. */
export interface OfficialClient extends AsyncDisposable {
  /** The methods that both versions have, called alike. */
  readonly plain: Pick<
    ClientV1,
    | "listTools"
    | "listResources"
    | "listResourceTemplates"
    | "readResource"
    | "listPrompts"
    | "getPrompt"
    | "complete"
    | "ping"
    | "getServerVersion"
  >;
  readonly era: "legacy" | "modern";
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<object>;
  /** Asks for logs of at least `info`. */
  hearLogs(put: (data: unknown) => void): Promise<void>;
  hearUpdates(uri: string, put: (uri: string) => void): Promise<void>;
  hearPrompts(put: (what: string) => void): Promise<void>;
}

const elicited = (params: object): { action: "accept"; content?: { name: string } } =>
  "mode" in params && params.mode === "url"
    ? { action: "accept" }
    : { action: "accept", content: { name: answers.name } };

/** The official client, version 1. */
export async function v1Client(transport: Transport): Promise<OfficialClient> {
  const client = new ClientV1(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicited(params));
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.greeting);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: answers.roots }));
  await client.connect(bridge(transport) as never);
  return {
    plain: client,
    era: "legacy",
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
    async hearLogs(put) {
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => put(params.data));
      await client.setLoggingLevel("info");
    },
    async hearUpdates(uri, put) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => put(params.uri));
      await client.subscribeResource({ uri });
    },
    async hearPrompts(put) {
      client.setNotificationHandler(PromptListChangedNotificationSchema, () => put("prompts"));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The official client, version 2, in one of its eras. */
export async function v2Client(transport: Transport, era: "legacy" | "modern"): Promise<OfficialClient> {
  const client = new ClientV2(info, {
    capabilities,
    versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
  });
  client.setRequestHandler("elicitation/create", ({ params }) => elicited(params));
  client.setRequestHandler("sampling/createMessage", () => answers.greeting);
  client.setRequestHandler("roots/list", () => ({ roots: answers.roots }));
  await client.connect(bridge(transport) as never);
  const wanted = { "io.modelcontextprotocol/logLevel": "info" as const };
  return {
    plain: client as never,
    era,
    call: (name, args = {}, options = {}) =>
      client.callTool(
        { name, arguments: args, ...(era === "modern" && name === "log" ? { _meta: wanted } : {}) },
        options,
      ),
    async hearLogs(put) {
      client.setNotificationHandler("notifications/message", ({ params }) => put(params.data));
      if (era === "legacy") {
        await client.setLoggingLevel("info");
      }
    },
    async hearUpdates(uri, put) {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => put(params.uri));
      await (era === "legacy"
        ? client.subscribeResource({ uri })
        : client.listen({ resourceSubscriptions: [uri] }));
    },
    async hearPrompts(put) {
      client.setNotificationHandler("notifications/prompts/list_changed", () => put("prompts"));
      await (era === "legacy" ? undefined : client.listen({ promptsListChanged: true }));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
