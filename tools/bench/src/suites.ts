import type { Suite } from "./suite.ts";
import { client } from "./suites/auth/client.ts";
import { guard } from "./suites/auth/guard.ts";
import { broker } from "./suites/broker/suite.ts";
import { cli } from "./suites/cli/suite.ts";
import { composition } from "./suites/compose/suite.ts";
import { dropIn } from "./suites/drop-in/suite.ts";
import { fairness } from "./suites/fairness/suite.ts";
import { host } from "./suites/host/suite.ts";
import { http } from "./suites/http/suites.ts";
import { inspector } from "./suites/inspector/suite.ts";
import { jsonSchemaSuite } from "./suites/json-schema-suite/suite.ts";
import { jsonrpc2 } from "./suites/jsonrpc2/suites.ts";
import { jsonschema } from "./suites/jsonschema/suite.ts";
import { mcp } from "./suites/mcp/suites.ts";
import { scale } from "./suites/scale/suite.ts";
import { search } from "./suites/search/suite.ts";
import { size } from "./suites/size/suite.ts";
import { soak } from "./suites/soak/suite.ts";
import { tasks } from "./suites/tasks/suite.ts";
import { types } from "./suites/types/suite.ts";

/** All suites by name. */
export const suites: ReadonlyMap<string, Suite> = new Map(
  [
    ...jsonrpc2,
    jsonschema,
    jsonSchemaSuite,
    ...mcp,
    ...http,
    host,
    composition,
    search,
    dropIn,
    guard,
    client,
    broker,
    cli,
    tasks,
    scale,
    inspector,
    size,
    types,
    fairness,
    soak,
  ].map((suite) => [suite.name, suite]),
);
