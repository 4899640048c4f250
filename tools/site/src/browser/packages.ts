import * as compose from "@tenon/compose";
import { createInspector, type Inspector } from "@tenon/inspector";
import * as jsonrpc2 from "@tenon/jsonrpc2";
import * as sdk from "@tenon/sdk";
import * as client from "@tenon/sdk/client";
import * as jsonschema from "@tenon/sdk/jsonschema";
import * as memory from "@tenon/sdk/memory";
import * as server from "@tenon/sdk/server";
import * as tasks from "@tenon/sdk/tasks";
import * as tasksClient from "@tenon/sdk/tasks/client";
import * as tasksServer from "@tenon/sdk/tasks/server";

/** The inspector that shows what programs send. */
export const inspector: Inspector = createInspector({ source: { kind: "tap", label: "this program" } });

/** The messages on the transports of a program are shown. */
const createInMemoryTransports: typeof memory.createInMemoryTransports = (...options) => {
  const [near, far] = memory.createInMemoryTransports(...options);
  return [inspector.observe(near), far] as never;
};

/** The packages that a program can import, by their names. */
export const packages: Readonly<Record<string, object>> = {
  "@tenon/compose": compose,
  "@tenon/jsonrpc2": jsonrpc2,
  "@tenon/sdk": sdk,
  "@tenon/sdk/client": client,
  "@tenon/sdk/jsonschema": jsonschema,
  "@tenon/sdk/memory": { ...memory, createInMemoryTransports },
  "@tenon/sdk/server": server,
  "@tenon/sdk/tasks": tasks,
  "@tenon/sdk/tasks/client": tasksClient,
  "@tenon/sdk/tasks/server": tasksServer,
};

/** The map by which the imports of a program find these packages. */
export function importMap(): { readonly imports: Readonly<Record<string, string>> } {
  const imports = Object.entries(packages).map(([name, exports]) => {
    const from = `globalThis.tenonPackages[${JSON.stringify(name)}]`;
    const text = `export const { ${Object.keys(exports).join(", ")} } = ${from};`;
    return [name, `data:text/javascript,${encodeURIComponent(text)}`];
  });
  return { imports: Object.fromEntries(imports) as Readonly<Record<string, string>> };
}
