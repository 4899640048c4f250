import type { Case } from "../case.ts";

const flat: Case = {
  name: "flat",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      owner: { type: "string" },
      repo: { type: "string", minLength: 1 },
      title: { type: "string", minLength: 1, maxLength: 256 },
      body: { type: "string" },
      draft: { type: "boolean" },
      milestone: { type: "integer" },
    },
    required: ["owner", "repo", "title"],
    additionalProperties: false,
  },
  valid: [
    {
      owner: "octo",
      repo: "hello",
      title: "A first issue",
      body: "It does not work.",
      draft: false,
      milestone: 3,
    },
    { title: "Short", repo: "r", owner: "o" },
    { owner: "octo", repo: "hello", title: "No milestone", draft: true },
  ],
  invalid: [
    { owner: "octo", repo: "", title: "x", draft: "no" },
    { owner: 1, title: "x", milestone: 1.5, labels: [] },
  ],
};

const numbers: Case = {
  name: "numbers",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      latitude: { type: "number", minimum: -90, maximum: 90 },
      longitude: { type: "number", minimum: -180, maximum: 180 },
      days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
      step: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
      units: { enum: ["metric", "imperial"] },
    },
    required: ["latitude", "longitude"],
  },
  valid: [
    { latitude: 48.137, longitude: 11.575, days: 5, step: 1.5, units: "metric" },
    { latitude: -33.9, longitude: 151.2 },
    { longitude: 0, latitude: 0, units: "imperial" },
  ],
  invalid: [
    { latitude: 91, longitude: 11.5, days: 0, units: "kelvin" },
    { latitude: "48", longitude: 200, days: 2.5, step: 0.7 },
  ],
};

const nested: Case = {
  name: "nested",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      customer: {
        type: "object",
        properties: {
          name: { type: "string" },
          address: {
            type: "object",
            properties: {
              street: { type: "string" },
              city: { type: "string", minLength: 1 },
              zip: { type: "string", maxLength: 10 },
              country: { type: "string", minLength: 2, maxLength: 2 },
            },
            required: ["street", "city", "country"],
            additionalProperties: false,
          },
          tags: { type: "array", items: { type: "string" }, maxItems: 10 },
        },
        required: ["name", "address"],
      },
      options: {
        type: "object",
        properties: { notify: { type: "boolean" }, retries: { type: "integer", minimum: 0 } },
      },
    },
    required: ["customer"],
  },
  valid: [
    {
      customer: {
        name: "Ada",
        address: { street: "Main St 1", city: "London", zip: "N1 9GU", country: "GB" },
        tags: ["new", "vip"],
      },
      options: { notify: true, retries: 2 },
    },
    { customer: { address: { city: "Bonn", street: "Weg 2", country: "DE" }, name: "Max" } },
  ],
  invalid: [
    {
      customer: { name: "Ada", address: { street: "Main St 1", country: "GBR", state: "x" }, tags: ["a", 1] },
    },
    { customer: { address: 7 }, options: { retries: -1 } },
  ],
};

const enums: Case = {
  name: "enums",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      sort: { enum: ["created", "updated", "comments", "reactions", "interactions", "best-match"] },
      order: { type: "string", enum: ["asc", "desc"] },
      state: { enum: ["open", "closed", "all"] },
      level: {
        type: "string",
        enum: ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
      },
      version: { const: 2 },
      mode: { enum: [0, 1, "auto", null] },
    },
    required: ["sort", "order", "version"],
  },
  valid: [
    { sort: "best-match", order: "desc", state: "all", level: "emergency", version: 2, mode: null },
    { sort: "created", order: "asc", version: 2, mode: "auto" },
  ],
  invalid: [
    { sort: "stars", order: "up", state: "all", version: 2 },
    { sort: "created", level: "trace", version: "2", mode: 2 },
  ],
};

const row = (index: number): object => ({
  id: index,
  name: `item ${index}`,
  price: index * 1.5,
  inStock: index % 2 === 0,
  labels: ["a", "b"],
});

const list: Case = {
  name: "list of 20",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      items: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: {
          type: "object",
          properties: {
            id: { type: "integer" },
            name: { type: "string" },
            price: { type: "number", minimum: 0 },
            inStock: { type: "boolean" },
            labels: { type: "array", items: { type: "string" } },
          },
          required: ["id", "name"],
          additionalProperties: false,
        },
      },
    },
    required: ["items"],
  },
  valid: [
    { items: Array.from({ length: 20 }, (_, index) => row(index)) },
    { items: Array.from({ length: 20 }, (_, index) => ({ id: index, name: "plain" })) },
  ],
  invalid: [
    { items: [...Array.from({ length: 19 }, (_, index) => row(index)), { id: "19", price: -1 }] },
    {
      items: Array.from({ length: 20 }, (_, index) =>
        index % 5 === 0 ? { id: index, extra: 1 } : row(index),
      ),
    },
  ],
};

const patterns: Case = {
  name: "patterns",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      branch: { type: "string", pattern: "^[A-Za-z0-9._/-]+$" },
      sha: { type: "string", pattern: "^[0-9a-f]{40}$" },
      version: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$" },
    },
    patternProperties: { "^x-": { type: "string" } },
    required: ["branch"],
    additionalProperties: false,
  },
  valid: [
    {
      branch: "feature/linear-match",
      sha: "0123456789abcdef0123456789abcdef01234567",
      version: "1.2.3-rc.1",
      "x-by": "me",
    },
    { branch: "main", version: "10.0.0" },
  ],
  invalid: [
    { branch: "a b", sha: "0123", "x-by": 1 },
    { sha: "0123456789ABCDEF0123456789abcdef01234567", version: "1.2", other: true },
  ],
};

const formats: Case = {
  name: "formats",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      email: { type: "string", format: "email" },
      site: { type: "string", format: "uri" },
      since: { type: "string", format: "date-time" },
      day: { type: "string", format: "date" },
      host: { type: "string", format: "ipv4" },
    },
    required: ["id", "email"],
  },
  valid: [
    {
      id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      email: "ada@example.org",
      site: "https://example.org/a?b=c#d",
      since: "2026-07-28T12:30:00Z",
      day: "2024-02-29",
      host: "192.168.0.1",
    },
    {
      id: "00000000-0000-4000-8000-000000000000",
      email: "x.y+z@sub.example.com",
      since: "2025-01-01T00:00:00.5+02:00",
    },
  ],
  invalid: [
    { id: "3f2504e0", email: "ada", site: "not a uri", since: "yesterday" },
    {
      id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      email: "ada@example.org",
      day: "2023-02-29",
      host: "256.0.0.1",
    },
  ],
};

const record: Case = {
  name: "record",
  kind: "flat",
  schema: {
    type: "object",
    properties: {
      env: {
        type: "object",
        propertyNames: { maxLength: 40 },
        additionalProperties: { type: "string" },
        maxProperties: 50,
      },
      scores: { type: "object", additionalProperties: { type: "number", minimum: 0, maximum: 1 } },
    },
    required: ["env"],
  },
  valid: [
    {
      env: { HOME: "/root", PATH: "/bin:/usr/bin", LANG: "C", TERM: "xterm", SHELL: "/bin/sh", EDITOR: "vi" },
      scores: { a: 0.1, b: 0.25, c: 1, d: 0 },
    },
    { env: {} },
  ],
  invalid: [
    { env: { HOME: "/root", DEPTH: 3 }, scores: { a: 1.5, b: "1" } },
    { env: [], scores: { a: 2 } },
  ],
};

const compose: Case = {
  name: "compose",
  kind: "flat",
  schema: {
    type: "object",
    // Ajv loses what `allOf` has evaluated when there is an `if` beside it, so the properties are
    // not in there.
    properties: {
      id: { type: "string" },
      createdAt: { type: "integer" },
      kind: { enum: ["user", "bot"] },
      name: { type: "string" },
    },
    allOf: [{ required: ["id"] }, { required: ["kind"] }, { minProperties: 2 }],
    if: { properties: { kind: { const: "bot" } }, required: ["kind"] },
    // oxlint-disable-next-line unicorn/no-thenable
    then: { properties: { token: { type: "string", minLength: 8 } }, required: ["token"] },
    else: { properties: { email: { type: "string" } } },
    dependentRequired: { createdAt: ["name"] },
    unevaluatedProperties: false,
  },
  valid: [
    { id: "u1", kind: "user", name: "Ada", createdAt: 17, email: "ada@example.org" },
    { id: "b1", kind: "bot", token: "12345678" },
  ],
  invalid: [
    { id: "b1", kind: "bot", token: "1234", email: "x" },
    { kind: "user", createdAt: 17, extra: 1 },
  ],
};

/** Arguments without unions. */
export const argumentCases: readonly Case[] = [
  flat,
  numbers,
  nested,
  enums,
  list,
  patterns,
  formats,
  record,
  compose,
];
