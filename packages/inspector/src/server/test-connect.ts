import type { ServerAddress } from "../engine/source.ts";
import { codeOf } from "./test-code.ts";

/** The connection of the tests of a file. */
export interface TestConnection {
  readonly address: ServerAddress | undefined;
  /** The revision of the session; `undefined` for the newest of the server. */
  readonly revision: string | undefined;
  /** The recorded session, which is replayed without an address. */
  readonly cassette: string | undefined;
}

/** The responses of the person, as the handlers of a client. */
const clientOptions = `  client: {
      elicitation: { form: next, url: next },
      sampling: { tools: true, context: true, createMessage: next },
      roots: [],
    },`;

/** An import of a test file. */
function imported(names: string, from: string): string {
  return `import { ${names} } from ${JSON.stringify(from)};`;
}

const ofVitest = imported("expect, test", "vitest");

/** The imports of a test file, and its function `connect`. */
export function connectCode({ address, revision, cassette }: TestConnection): string {
  const revisions = revision === undefined ? "" : `revisions: [${JSON.stringify(revision)}], `;
  const next = `  const next = (): never => responses.shift() as never;\n`;
  if (address !== undefined && "command" in address) {
    const { command, args = [] } = address;
    return `${imported("pairCommand", "@tenon/testing/node")}
${imported("printOnFailure", "@tenon/testing/vitest")}
${ofVitest}

/** Starts the server, and connects a client that responds to input requests in this order. */
async function connect(responses: unknown[] = []) {
${next}  const pair = await pairCommand(${codeOf({ command, args })}, {
${revision === undefined ? "" : `    revision: ${JSON.stringify(revision)},\n`}  ${clientOptions}
  });
  return printOnFailure(pair);
}
`;
  }
  const client = `  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      ${revisions}elicitation: { form: next, url: next },
      sampling: { tools: true, context: true, createMessage: next },
      roots: [],
    },
  );
`;
  const ended = `  return { session, [Symbol.asyncDispose]: () => session.close() };\n}\n`;
  if (address !== undefined) {
    return `${imported("Client", "@tenon/mcp")}
${imported("StreamableClientTransport", "@tenon/transports-streamable-http/client")}
${ofVitest}

/** Connects a client that responds to input requests in this order. */
async function connect(responses: unknown[] = []) {
${next}${client}  const session = await client.connect(new StreamableClientTransport(${JSON.stringify(address.url)}));
${ended}`;
  }
  const recorded = (cassette ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `  ${JSON.stringify(line)},\n`);
  return `${imported("Client", "@tenon/mcp")}
${imported("parseCassette, replayCassette", "@tenon/testing")}
${ofVitest}

/** The recorded session. To test the server itself, connect by pairCommand of @tenon/testing/node. */
const cassette = parseCassette([
${recorded.join("")}].join("\\n"));

/** Connects a client that responds to input requests in this order. */
async function connect(responses: unknown[] = []) {
${next}${client}  const session = await client.connect(replayCassette(cassette));
${ended}`;
}
