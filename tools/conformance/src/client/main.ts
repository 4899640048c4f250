// The everything-client: does what a scenario of the conformance suite asks for, then exits. The
// URL is the last argument.
import { scenarioOf } from "./scenarios.ts";

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "";
const context: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const url = process.argv.at(-1) ?? "";
const scenario = scenarioOf(name);
if (scenario === undefined) {
  console.error(`There is no scenario ${name}.`);
  process.exit(1);
}
try {
  await scenario({ name, url: new URL(url), version, context });
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
