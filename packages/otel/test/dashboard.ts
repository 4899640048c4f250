import type { Dashboard, Panel } from "@grafana/schema";

/** Groups the series of a panel by labels, and names each series after them. */
function by(labels: readonly string[], of: string, wrap = (sum: string): string => sum): [string, string] {
  return [wrap(`sum by (${labels.join(", ")}) (${of})`), labels.map((label) => `{{${label}}}`).join(" ")];
}

const rate = (metric: string, labels = ""): string =>
  `rate(${metric}${labels === "" ? "" : `{${labels}}`}[$__rate_interval])`;

const operations = "mcp_server_operation_duration_seconds_count";
const durations = "mcp_server_operation_duration_seconds_bucket";

/** The percentile of a histogram by labels. */
const percentile = (share: number, of: string, ...labels: readonly string[]): string =>
  `histogram_quantile(${share}, sum by (${["le", ...labels].join(", ")}) (${of}))`;

const panels: readonly (readonly [
  title: string,
  description: string,
  unit: string,
  ...queries: readonly (readonly [expression: string, legend: string])[],
])[] = [
  [
    "Requests per second",
    "Requests and notifications that the server has handled, by method.",
    "reqps",
    by(["mcp_method_name"], rate(operations)),
  ],
  [
    "Errors per second",
    "By type: tool_error is a failure that a tool reports itself, 429 a refusal by a rate limit, a name such as TypeError a crash.",
    "reqps",
    by(["error_type"], rate(operations, 'error_type!=""')),
  ],
  [
    "Duration",
    "Percentiles of all requests.",
    "s",
    [percentile(0.5, rate(durations)), "50 %"],
    [percentile(0.95, rate(durations)), "95 %"],
    [percentile(0.99, rate(durations)), "99 %"],
  ],
  [
    "Slowest tools",
    "The 95th percentile of the ten slowest tools.",
    "s",
    [
      `topk(10, ${percentile(0.95, rate(durations, 'gen_ai_tool_name!=""'), "gen_ai_tool_name")})`,
      "{{gen_ai_tool_name}}",
    ],
  ],
  [
    "Crashes by tool",
    "Exceptions that a tool did not expect.",
    "reqps",
    by(
      ["gen_ai_tool_name", "error_type"],
      rate(operations, 'gen_ai_tool_name!="",error_type!="",error_type!~"-?[0-9]+|tool_error|cancelled"'),
    ),
  ],
  [
    "Open sessions and requests",
    "Gauges of all processes.",
    "short",
    ["sum(tenon_server_session_active)", "sessions"],
    ["sum(tenon_server_operation_active)", "requests"],
    ["sum(tenon_task_run_active)", "runs of tasks"],
  ],
  [
    "Tasks that have not ended",
    "By state: queued tasks wait for an engine with room, waiting tasks for a person or another system. Each process reads the same store, so the largest number counts.",
    "short",
    ["max by (tenon_task_state) (tenon_task_active)", "{{tenon_task_state}}"],
  ],
  [
    "Runs of tasks",
    "Runs that have ended, by tool and type of error.",
    "ops",
    by(["gen_ai_tool_name", "error_type"], rate("tenon_task_run_duration_seconds_count")),
  ],
  [
    "Open streams",
    "Subscriptions and other requests that stay open, by method.",
    "short",
    by(["mcp_method_name"], "tenon_server_operation_active"),
  ],
  [
    "Open HTTP requests",
    "By HTTP method: an open GET is a stream of a legacy session.",
    "short",
    by(["http_request_method"], "tenon_server_http_active"),
  ],
  [
    "Refused HTTP requests",
    "By status: 401 and 403 are credentials, 404 an ended session, 429 a rate limit, 503 a full server or a store that fails.",
    "reqps",
    by(
      ["http_response_status_code"],
      rate("tenon_server_http_duration_seconds_count", 'http_response_status_code=~"[45].."'),
    ),
  ],
  [
    "Calls of stores",
    "The 95th percentile by store.",
    "s",
    [
      percentile(0.95, rate("tenon_store_operation_duration_seconds_bucket"), "tenon_store_name"),
      "{{tenon_store_name}}",
    ],
  ],
  [
    "Errors of stores",
    "An outage of a store is visible here first.",
    "ops",
    by(
      ["tenon_store_name", "error_type"],
      rate("tenon_store_operation_duration_seconds_count", 'error_type!=""'),
    ),
  ],
];

const inRow = 3;
const size = { w: 24 / inRow, h: 8 } as const;

/** The dashboard of the folder `grafana`, by the types that Grafana publishes. */
export const dashboard: Dashboard = {
  title: "MCP servers (Tenon)",
  uid: "tenon-mcp-servers",
  tags: ["mcp", "tenon"],
  schemaVersion: 39,
  version: 1,
  editable: true,
  timezone: "",
  refresh: "30s",
  time: { from: "now-1h", to: "now" },
  templating: {
    list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }],
  },
  annotations: { list: [] },
  panels: panels.map(([title, description, unit, ...queries], index): Panel => ({
    id: index + 1,
    title,
    description,
    type: "timeseries",
    gridPos: { x: (index % inRow) * size.w, y: Math.floor(index / inRow) * size.h, ...size },
    datasource: { type: "prometheus", uid: "${datasource}" },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], query) => ({
      refId: "ABC".charAt(query),
      expr,
      legendFormat,
    })),
  })),
};
