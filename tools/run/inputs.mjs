// What makes tests due besides the files of their member and of its dependencies: `reads` are paths below the root, `*` for a name, `**` for
// everything below; `uses` are members. A test file with an entry of its own is due by that entry instead of by the dependencies of its member.
// `npm run test:full` records what tests read, and fails if something is missing here.

const sources = ["packages/*/src/**", "packages/*/*.json"];
const tests = ["packages/*/test/**", "tools/*/test/**", "examples/*/test/**"];
const pages = ["*.md", "docs/**", ".changeset/**", "packages/*/*.md", "examples/*/*.md"];

/** @type {Readonly<Record<string, { readonly reads?: readonly string[], readonly uses?: readonly string[] }>>} */
export const inputs = {
  "tools/bench/test/size.test.ts": { reads: sources },
  "tools/codegen": { reads: [...sources, ...tests, "docs/**", "schema/**"] },
  "tools/consumers": { reads: [...sources, "tools/codegen/**"] },
  "tools/consumers/test/protocol.test.ts": { uses: ["packages/protocol"] },
  "tools/consumers/test/typegen.test.ts": { uses: ["packages/cli", "packages/sdk"], reads: ["schema/**"] },
  "tools/docs": { reads: [...sources, ...tests, ...pages, "examples/**", "tools/**", "schema/**"] },
  "tools/interop": { reads: ["examples/notes/**", "docs/compatibility.md"] },
  "tools/registry": { reads: [...sources, "README.md", "packages/*/README.md", "examples/quickstart/**"] },
  "tools/requirements": { reads: [...sources, ...tests, "docs/**"] },
  "packages/jsonrpc2": { reads: ["packages/*/src/**"] },
  "packages/mcp": { reads: ["packages/jsonschema/test/**"] },
  "packages/sdk": { reads: [...sources, "tools/conformance/**"] },
};
