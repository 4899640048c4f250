import { readFileSync } from "node:fs";

import { parser } from "@prometheus-io/lezer-promql";
import { expect, test } from "vitest";
import { parse } from "yaml";

import { Attribute, gauges, histograms } from "../src/names.ts";
import { dashboard } from "./dashboard.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const alerts = readFileSync(new URL("../grafana/alerts.yaml", import.meta.url), "utf8");
const { groups } = parse(alerts) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

/** As the exporters of OpenTelemetry name metrics and attributes for Prometheus. */
const prometheus = (name: string): string => name.replaceAll(/[^a-z0-9_]/gi, "_");
const metrics = new Set([
  ...Object.keys(histograms).flatMap((name) =>
    ["bucket", "count", "sum"].map((end) => `${prometheus(name)}_seconds_${end}`),
  ),
  ...Object.keys(gauges).map(prometheus),
]);
const labels = new Set(["le", ...Object.values(Attribute).map(prometheus)]);

/** What an expression names, by the parser of Prometheus. */
function namesIn(expression: string): { readonly used: readonly string[]; readonly by: readonly string[] } {
  const text = expression.replaceAll("$__rate_interval", "5m");
  const [used, by]: [string[], string[]] = [[], []];
  parser.parse(text).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) {
        throw new Error(`${text} is not PromQL at ${from}.`);
      }
      if (name === "LabelName") {
        by.push(text.slice(from, to));
      } else if (name === "Identifier") {
        used.push(text.slice(from, to));
      }
    },
  });
  return { used, by };
}

test("the dashboard is written by the types that Grafana publishes", async () => {
  const text = `${JSON.stringify(dashboard, undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../grafana/dashboard.json");
});

test.each([
  ...(dashboard.panels ?? []).flatMap((panel) =>
    "targets" in panel
      ? (panel.targets ?? []).map(({ expr }) => [panel.title ?? "", String(expr)] as const)
      : [],
  ),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
])("%s uses metrics and labels that are emitted: %s", (_, expression) => {
  const { used, by } = namesIn(expression);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((name) => !metrics.has(name))).toEqual([]);
  expect(by.filter((name) => !labels.has(name))).toEqual([]);
});

test("every gauge and every histogram of servers is on the dashboard", () => {
  const text = JSON.stringify(dashboard);
  const ofServers = [...Object.keys(gauges), ...Object.keys(histograms)].filter(
    (name) => !name.includes(".client.") && name !== "mcp.server.session.duration",
  );
  expect(ofServers.filter((name) => !text.includes(prometheus(name)))).toEqual([]);
});

// Prometheus refuses a file with any other property.
test("the alerts have the properties of rules of Prometheus, a severity and a sentence", () => {
  expect(Object.keys(parse(alerts) as object)).toEqual(["groups"]);
  expect(rules.length).toBeGreaterThan(4);
  for (const rule of rules) {
    expect(Object.keys(rule)).toEqual(["alert", "expr", "for", "labels", "annotations"]);
    expect(rule.alert).toMatch(/^Mcp[A-Z]\w+$/);
    expect(rule.for).toMatch(/^\d+[smh]$/);
    expect(["info", "warning", "critical"]).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$/);
  }
});
