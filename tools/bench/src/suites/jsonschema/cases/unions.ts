import type { Case } from "../case.ts";

const oneOf: Case = {
  name: "one of (tagged)",
  kind: "union",
  schema: {
    type: "object",
    properties: {
      actions: {
        type: "array",
        items: {
          oneOf: [
            {
              type: "object",
              properties: { type: { const: "click" }, x: { type: "integer" }, y: { type: "integer" } },
              required: ["type", "x", "y"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { type: { const: "type" }, text: { type: "string" } },
              required: ["type", "text"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { type: { const: "scroll" }, by: { type: "number" }, smooth: { type: "boolean" } },
              required: ["type", "by"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { type: { const: "wait" }, ms: { type: "integer", minimum: 0 } },
              required: ["type", "ms"],
              additionalProperties: false,
            },
          ],
        },
      },
    },
    required: ["actions"],
  },
  valid: [
    {
      actions: [
        { type: "click", x: 10, y: 20 },
        { type: "type", text: "hello" },
        { type: "wait", ms: 250 },
        { type: "scroll", by: -3.5, smooth: true },
      ],
    },
    { actions: [{ type: "wait", ms: 0 }] },
  ],
  invalid: [
    {
      actions: [
        { type: "click", x: 10 },
        { type: "wait", ms: -1 },
      ],
    },
    { actions: [{ type: "drag", x: 1 }, { text: "no type" }] },
  ],
};

const anyOf: Case = {
  name: "any of (types)",
  kind: "union",
  schema: {
    type: "object",
    properties: {
      filter: {
        type: "array",
        items: {
          anyOf: [
            { type: "string", minLength: 1 },
            { type: "integer", minimum: 0 },
            { type: "array", items: { type: "string" }, minItems: 1 },
            { type: "object", properties: { field: { type: "string" }, is: {} }, required: ["field", "is"] },
          ],
        },
      },
    },
    required: ["filter"],
  },
  valid: [
    { filter: ["open", 7, ["a", "b"], { field: "state", is: null }] },
    { filter: [{ is: 1, field: "x" }, "y"] },
  ],
  invalid: [{ filter: ["", -1, [], { field: "state" }] }, { filter: [null, true, "ok"] }],
};

const nullable: Case = {
  name: "nullable",
  kind: "union",
  schema: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
      cursor: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
      since: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }], default: null },
      tags: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }], default: null },
    },
    required: ["query"],
  },
  valid: [
    { query: "x", limit: 10, cursor: null, since: "2026", tags: ["a", "b"] },
    { query: "y", limit: null, since: 17, tags: null },
  ],
  invalid: [
    { query: "x", limit: "10", cursor: 1, since: true, tags: "a" },
    { limit: 1.5, tags: ["a", 1] },
  ],
};

const recursive: Case = {
  name: "recursive",
  kind: "union",
  schema: {
    type: "object",
    properties: { where: { $ref: "#/$defs/expression" } },
    required: ["where"],
    $defs: {
      expression: {
        anyOf: [
          {
            type: "object",
            properties: { and: { type: "array", items: { $ref: "#/$defs/expression" }, minItems: 1 } },
            required: ["and"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: { not: { $ref: "#/$defs/expression" } },
            required: ["not"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: {
              field: { type: "string" },
              op: { enum: ["eq", "ne", "lt", "gt"] },
              value: { type: ["string", "number", "boolean", "null"] },
            },
            required: ["field", "op", "value"],
            additionalProperties: false,
          },
        ],
      },
    },
  },
  valid: [
    {
      where: {
        and: [
          { field: "age", op: "gt", value: 18 },
          { not: { field: "state", op: "eq", value: "closed" } },
          {
            and: [
              { field: "a", op: "ne", value: null },
              { not: { not: { field: "b", op: "lt", value: 1 } } },
            ],
          },
        ],
      },
    },
    { where: { field: "name", op: "eq", value: "Ada" } },
  ],
  invalid: [
    {
      where: {
        and: [{ field: "age", op: "gt", value: 18 }, { not: { field: "state", op: "like", value: "x" } }],
      },
    },
    { where: { and: [], field: "x" } },
  ],
};

/** Arguments with unions. */
export const unionCases: readonly Case[] = [oneOf, anyOf, nullable, recursive];
