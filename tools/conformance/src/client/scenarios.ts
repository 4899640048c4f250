import { isRpcError } from "@tenon/jsonrpc2";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { isSkillError, skillClient, type SkillEntry } from "@tenon/skills/client";
import { StreamableClientTransport, type AuthProvider } from "@tenon/transports-streamable-http/client";

import { authorize } from "./authorization.ts";

/** What the suite says about a run. */
export interface Run {
  readonly name: string;
  readonly url: URL;
  /** The revision on the wire. */
  readonly version: string;
  readonly context: unknown;
}

/** What a client does in one scenario. */
export type Scenario = (run: Run) => Promise<void>;

const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/**
 * The revisions that the client offers. Where the suite's servers can tell that they do not know a
 * newer one, a client with authorization offers all, as users' clients do.
 */
function revisionsFor(version: string, auth: AuthProvider | undefined): ClientOptions["revisions"] {
  if (auth !== undefined && version >= "2025-11-25") {
    return undefined;
  }
  return version === "2026-07-28"
    ? ["2026-07-28"]
    : legacyRevisions.filter((revision) => revision <= version);
}

async function connect(
  { url, version }: Run,
  strictness?: "lenient",
  auth?: AuthProvider,
): Promise<ClientSession> {
  const client = new Client(
    { name: "tenon-everything-client", version: "1.0.0" },
    {
      revisions: revisionsFor(version, auth),
      strictness,
      roots: [],
      sampling: {
        createMessage: () => ({ role: "assistant", model: "none", content: { type: "text", text: "Hello" } }),
      },
      elicitation: {
        // Fields that are left out get their defaults.
        form: ({ requestedSchema }) => ({
          action: "accept",
          content: "confirmed" in requestedSchema.properties ? { confirmed: true } : {},
        }),
      },
    },
  );
  client.use(skillClient());
  return client.connect(new StreamableClientTransport(url, { auth }));
}

/**
 * A scenario that goes well if the steps do.
 *
 * @param strictness - Only where the suite's server breaks the protocol. Default: that of users.
 */
function session(
  steps: (session: ClientSession, run: Run) => Promise<void>,
  strictness?: "lenient",
): Scenario {
  return async (run) => {
    await using session = await connect(run, strictness);
    await steps(session, run);
  };
}

/** A scenario with authorization: what an authorized user does. */
async function useTools(run: Run): Promise<void> {
  await using auth = authorize(run);
  await using session = await connect(run, undefined, auth);
  await session.listTools();
  await session.callTool({ name: "test-tool", arguments: {} });
}

async function listTools(session: ClientSession): Promise<void> {
  await session.listTools();
}

async function callAll(
  session: ClientSession,
  calls: readonly { name: string; arguments?: Record<string, unknown> }[],
): Promise<void> {
  await session.listTools();
  for (const call of calls) {
    await session.callTool(call);
  }
}

/** Returns what a client does in a scenario. */
export function scenarioOf(name: string): Scenario | undefined {
  return name.startsWith("auth/") ? useTools : scenarios.get(name);
}

/** The scenarios that are not about authorization. */
const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  // Expects tools/list, although its server declares no tools.
  ["initialize", session(listTools, "lenient")],
  ["tools_call", session((s) => callAll(s, [{ name: "add_numbers", arguments: { a: 5, b: 3 } }]))],
  [
    "elicitation-sep1034-client-defaults",
    session((s) => callAll(s, [{ name: "test_client_elicitation_defaults", arguments: {} }])),
  ],
  ["sse-retry", session((s) => callAll(s, [{ name: "test_reconnection", arguments: {} }]))],
  // Likewise.
  ["request-metadata", session(listTools, "lenient")],
  ["sep-2322-client-request-state", session(callStateTools)],
  ["http-standard-headers", session(useEverything)],
  [
    "http-custom-headers",
    session((s, { context }) => callAll(s, (context as { toolCalls: never[] }).toolCalls)),
  ],
  ["http-invalid-tool-headers", session(callListedTools)],
  ["json-schema-ref-no-deref", session(listTools)],
  ["json-schema-2020-12-preservation", session(echoSchema)],
  ["sep-2640-client-no-prefetch", session(async (s) => void (await listSkills(s)))],
  ["sep-2640-client-verify-digest", session(useSkills)],
  ["sep-2640-client-verify-size", session(useSkills)],
  ["sep-2640-client-verify-frontmatter", session(useSkills)],
]);

async function callStateTools(session: ClientSession): Promise<void> {
  for (const name of [
    "test_mrtr_echo_state",
    "test_mrtr_no_state",
    "test_mrtr_unrelated",
    "test_mrtr_no_result_type",
  ]) {
    try {
      await session.callTool({ name, arguments: {} });
    } catch (error) {
      console.error(name, error);
    }
  }
}

async function useEverything(session: ClientSession): Promise<void> {
  for await (const tool of session.tools()) {
    await session.callTool({ name: tool.name, arguments: {} });
  }
  const { resources } = await session.request("resources/list", {});
  for (const { uri } of resources) {
    await session.request("resources/read", { uri });
  }
  const { prompts } = await session.request("prompts/list", {});
  for (const { name } of prompts) {
    await session.request("prompts/get", { name });
  }
}

async function callListedTools(session: ClientSession): Promise<void> {
  const { tools } = await session.listTools();
  for (const { name } of tools) {
    try {
      await session.callTool({ name, arguments: { region: "us-east-1" } });
    } catch (error) {
      if (!isRpcError(error)) {
        throw error;
      }
    }
  }
}

async function listSkills(session: ClientSession): Promise<readonly SkillEntry[]> {
  const skills: SkillEntry[] = [];
  for await (const skill of session.skills.list()) {
    skills.push(skill);
  }
  return skills;
}

/** Reads the files of all skills, each only after the one before was verified. */
async function useSkills(session: ClientSession): Promise<void> {
  for (const skill of await listSkills(session)) {
    try {
      await session.skills.read(skill);
      await session.skills.read(skill, "references/FORMS.md");
    } catch (error) {
      if (!isSkillError(error, "VERIFICATION_FAILED")) {
        throw error;
      }
    }
  }
}

async function echoSchema(session: ClientSession): Promise<void> {
  const { tools } = await session.listTools();
  const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
  await session.callTool({ name: "json_schema_echo", arguments: { schema } });
}
