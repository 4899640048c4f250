import { readFileSync } from "node:fs";

import { expect, test } from "vitest";
import { parse } from "yaml";

import { Attribute, gauges, histograms } from "../src/names.ts";

/** The parts of a dashboard of Grafana that this package writes. */
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const textOf = (name: string): string => readFileSync(new URL(`../grafana/${name}`, import.meta.url), "utf8");
const dashboard = JSON.parse(textOf("dashboard.json")) as {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
};
const { groups } = parse(textOf("alerts.yaml")) as {
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

const expressions = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
];

test.each(expressions)("%s uses metrics and labels that are emitted: %s", (_, expression) => {
  const found =
    expression.match(/\b(?:mcp|tenon)_\w+(?=[{[)\s])/g)?.filter((name) => !labels.has(name)) ?? [];
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((name) => !metrics.has(name))).toEqual([]);
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/, */));
  const matched = [...expression.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, name]) => name ?? "");
  expect([...grouped, ...matched].filter((name) => !labels.has(name))).toEqual([]);
  for (const [open, close] of ["()", "{}", "[]"]) {
    expect(expression.split(open ?? "").length).toBe(expression.split(close ?? "").length);
  }
});

test("the dashboard has the form that Grafana reads, and no panel covers another", () => {
  expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
  expect(dashboard.templating.list).toMatchObject([{ name: "datasource", type: "datasource" }]);
  const cells = new Set<string>();
  for (const {
    id,
    title,
    description,
    type,
    gridPos,
    datasource,
    fieldConfig,
    targets,
  } of dashboard.panels) {
    expect(Number.isInteger(id)).toBe(true);
    expect([title, description, fieldConfig.defaults.unit].every((text) => text.length > 0)).toBe(true);
    expect(["timeseries", "stat", "table"]).toContain(type);
    expect(datasource).toEqual({ type: "prometheus", uid: "${datasource}" });
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (let cell = 0; cell < gridPos.w * gridPos.h; cell++) {
      const at = `${gridPos.x + (cell % gridPos.w)} ${gridPos.y + Math.floor(cell / gridPos.w)}`;
      expect(cells.has(at)).toBe(false);
      cells.add(at);
    }
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  }
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

test("every alert has a duration, a severity and a sentence about what is wrong", () => {
  expect(rules.length).toBeGreaterThan(4);
  for (const rule of rules) {
    expect(rule.alert).toMatch(/^Mcp[A-Z]\w+$/);
    expect(rule.for).toMatch(/^\d+[smh]$/);
    expect(["info", "warning", "critical"]).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$/);
  }
});
