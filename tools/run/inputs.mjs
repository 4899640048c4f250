// What makes tests due besides the files of their member and of its dependencies: `reads` are paths below the root, `*` for a name, `**` for
// everything below; `uses` are members. A test file with an entry of its own is due by that entry instead of by the dependencies of its member,
// and so is each test file of a member with `isByFile`. Without `uses`, a test file uses the members that it names.
// `npm run test:full` records what tests read, and fails if something is missing here.
import { examples } from "./examples.mjs";

const sources = ["packages/*/src/**", "packages/*/*.json"];
const tests = ["packages/*/test/**", "tools/*/test/**", "examples/*/test/**"];
const pages = ["*.md", "docs/**", ".changeset/**", "packages/*/*.md", "examples/*/*.md"];

const sdk = "packages/sdk";
const support = "tools/test-support";
const frameworks = ["packages/express", "packages/fastify", "packages/hono"];
const stores = [
  "packages/store-postgres",
  "packages/store-redis",
  "packages/store-sqlite",
  "packages/stores",
];

const siteReads = [
  ...pages,
  "packages/*/package.json",
  "tools/*/README.md",
  "tools/bench/speed.json",
  "packages/inspector/src/page/icon.svg",
];
/** The pages and the files that programs of the documentation are taken from. */
const programReads = [
  ...pages,
  "examples/**",
  "tools/**",
  "schema/README.md",
  "packages/*/test/readme*",
  "packages/*/test/readme/**",
  "packages/mcp/test/docs/**",
  "packages/openapi/test/documents/**",
  "packages/protocol/test/example.ts",
  "packages/transports-stdio/test/fixtures/**",
];
/** What is read by tests that look at all code and all pages. */
const scanned = [...sources, ...tests, ...pages, "examples/**", "tools/**", "schema/**"];

/** @type {Readonly<Record<string, import("./inputs.mjs").Inputs>>} */
export const inputs = {
  "tools/bench/test/size.test.ts": { uses: [support], reads: sources },
  "tools/codegen": { isByFile: true, reads: ["schema/**", "docs/protocol-methods.md"] },
  "tools/codegen/test/literals.test.ts": { reads: [...sources, ...tests, "docs/**", "schema/**"] },
  "tools/bench": { isByFile: true },
  "tools/consumers": { isByFile: true, reads: ["tools/codegen/**"] },
  "tools/consumers/test/builds.test.ts": { reads: sources },
  "tools/consumers/test/protocol.test.ts": { uses: [support, "packages/protocol"] },
  "tools/consumers/test/typegen.test.ts": { uses: ["packages/cli", "packages/sdk"], reads: ["schema/**"] },
  "tools/docs": { isByFile: true, reads: [...pages, "examples/**", "tools/**", "schema/**"] },
  "tools/docs/test/exports.test.ts": { reads: scanned },
  "tools/docs/test/folders.test.ts": { reads: scanned },
  "tools/docs/test/install.test.ts": { reads: scanned },
  "tools/docs/test/links.test.ts": { reads: scanned },
  "tools/docs/test/options.test.ts": { reads: scanned },
  "tools/docs/test/packages.test.ts": { reads: scanned },
  "tools/docs/test/pages.test.ts": { reads: scanned },
  "tools/docs/test/prose.test.ts": { reads: scanned },
  "tools/docs/test/troubleshooting.test.ts": { reads: scanned },
  "tools/docs/test/getting-started.test.ts": { reads: ["docs/**"] },
  "tools/docs/test/programs/frameworks.test.ts": {
    uses: [sdk, "packages/operations", ...frameworks],
    reads: programReads,
  },
  "tools/docs/test/programs/packages.test.ts": {
    uses: [sdk, "packages/openapi", "packages/operations", "packages/testing", ...stores],
    reads: programReads,
  },
  "tools/docs/test/programs/programs.test.ts": {
    uses: [sdk, "packages/openapi", "packages/operations", "packages/testing", ...stores, ...frameworks],
    reads: programReads,
  },
  "tools/docs/test/programs/sdk.test.ts": { uses: [sdk, "packages/cli"], reads: programReads },
  "tools/interop": { isByFile: true, reads: ["examples/notes/**", "docs/compatibility.md"] },
  "tools/interop/test/broker-nodes.test.ts": { uses: [sdk, support, "packages/broker", ...stores] },
  "tools/interop/test/broker-peers.test.ts": { uses: [sdk, support, "packages/broker", "packages/cli"] },
  "tools/interop/test/apps-browser.test.ts": { uses: [sdk, support, "packages/apps"] },
  "tools/interop/test/cluster.test.ts": { uses: [sdk, support, ...stores] },
  "tools/interop/test/lost-messages.test.ts": { uses: [sdk, support, "packages/tasks", ...stores] },
  "tools/interop/test/official-folder.test.ts": { uses: ["packages/cli", "packages/official-v1"] },
  "tools/interop/test/one-trace.test.ts": { uses: [sdk, support, "packages/otel", ...stores] },
  "tools/interop/test/spellings.test.ts": { uses: [sdk, support, "packages/operations"] },
  "tools/interop/test/two-nodes.test.ts": { uses: [sdk, support, "packages/tasks", ...stores] },
  "tools/interop/test/workers.test.ts": { uses: [sdk, support, "packages/tasks", ...stores] },
  "tools/run/test/example.test.ts": {
    uses: Object.keys(examples).map((name) => `examples/${name}`),
    reads: ["examples/*/package.json", "examples/*/src/**", "examples/*/README.md"],
  },
  "tools/registry": {
    reads: [
      "packages/*/*.json",
      ".changeset/**",
      "README.md",
      "packages/*/README.md",
      "examples/quickstart/**",
      "packages/create-tenon/templates/**",
      "tools/codegen/**",
    ],
  },
  "tools/runtimes": { isByFile: true },
  "tools/site": { isByFile: true, reads: siteReads },
  // The pages of the site are made from text: no code of the other packages runs.
  "tools/site/test/site.test.ts": { uses: [sdk, support], reads: siteReads },
  "tools/release": {
    isByFile: true,
    reads: ["packages/*/*.json", "examples/*/package.json", ...pages, "tools/**"],
  },
  "tools/release/test/selves.test.ts": { reads: [...sources, "examples/*/package.json", "tools/**"] },
  // A test publishes a copy of the repository, with the sources of one package.
  "tools/release/test/version.test.ts": {
    reads: [
      "packages/*/*",
      "packages/ship/**",
      "examples/*/package.json",
      ...pages,
      "tools/**",
      ".github/**",
    ],
  },
  "tools/release/test/api.test.ts": { reads: [...sources, "examples/*/package.json", "tools/**"] },
  scripts: { reads: ["**"] },
  "tools/requirements": { reads: [...sources, ...tests, "docs/**"] },
  "packages/broker": { isByFile: true },
  "packages/create-tenon": { reads: ["pnpm-workspace.yaml"] },
  "packages/jsonrpc2/test/entries.test.ts": { reads: ["packages/*/src/**"] },
  "packages/mcp": { reads: ["packages/jsonschema/test/**"] },
  "packages/sdk": { isByFile: true },
  "packages/sdk/test/one-place.test.ts": {
    uses: [sdk, support],
    reads: [...sources, "tools/conformance/**"],
  },
  "packages/sdk/test/proxy.test.ts": { uses: [sdk, support, "packages/cli"] },
  "packages/sdk/test/umbrella.test.ts": { uses: [sdk], reads: sources },
};
