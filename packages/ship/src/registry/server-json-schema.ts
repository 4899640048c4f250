import type { JSONSchema } from "@tenon/jsonschema";

/** The address of the published schema, which every `server.json` names. */
export const serverJsonSchemaUrl: string =
  "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** The form of names in registries and in server cards: a reverse domain, a slash, and a name. */
const registryName = {
  type: "string",
  minLength: 3,
  maxLength: 200,
  pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
} as const;

const url = { type: "string", format: "uri" } as const;
const flag = { type: "boolean" } as const;
const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;

const input = {
  description: text,
  isRequired: flag,
  isSecret: flag,
  format: { enum: ["string", "number", "boolean", "filepath"] },
  value: text,
  default: text,
  placeholder: text,
  choices: texts,
} as const;

const inputs = { type: "object", additionalProperties: { type: "object", properties: input } } as const;

const keyValue = {
  type: "object",
  required: ["name"],
  properties: { ...input, name: { type: "string", minLength: 1 }, variables: inputs },
} as const;

const argument = {
  type: "object",
  required: ["type"],
  properties: {
    ...input,
    type: { enum: ["positional", "named"] },
    name: text,
    valueHint: text,
    isRepeated: flag,
    variables: inputs,
  },
} as const;

/** @param types - The transports that the place allows. */
const transport = (types: readonly string[], address: object): JSONSchema => ({
  type: "object",
  required: ["type"],
  properties: {
    type: { enum: types },
    url: address,
    headers: { type: "array", items: keyValue },
    variables: inputs,
  },
  if: { properties: { type: { const: "stdio" } } },
  else: { required: ["url"] },
});

const packages = {
  type: "object",
  required: ["registryType", "identifier", "transport"],
  additionalProperties: false,
  properties: {
    registryType: { type: "string", minLength: 1 },
    registryBaseUrl: url,
    identifier: { type: "string", minLength: 1 },
    version: { type: "string", minLength: 1, not: { const: "latest" } },
    fileSha256: { type: "string", pattern: "^[a-f0-9]{64}$" },
    runtimeHint: text,
    transport: transport(["stdio", "streamable-http", "sse"], text),
    runtimeArguments: { type: "array", items: argument },
    packageArguments: { type: "array", items: argument },
    environmentVariables: { type: "array", items: keyValue },
  },
} as const;

const icon = {
  type: "object",
  required: ["src"],
  properties: {
    src: { ...url, maxLength: 255 },
    mimeType: { enum: ["image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"] },
    sizes: { type: "array", items: { type: "string", pattern: "^(\\d+x\\d+|any)$" } },
    theme: { enum: ["light", "dark"] },
  },
} as const;

/** Properties that a `server.json` and a server card have in common. */
const commonProperties = {
  name: registryName,
  title: { type: "string", minLength: 1, maxLength: 100 },
  description: { type: "string", minLength: 1, maxLength: 100 },
  version: { type: "string", minLength: 1, maxLength: 255 },
  websiteUrl: url,
  repository: {
    type: "object",
    required: ["url", "source"],
    properties: { url, source: text, id: text, subfolder: text },
  },
  _meta: { type: "object" },
} as const;

/** The rules of the published schema for a `server.json`, of 2025-12-11. */
export const serverJsonSchema: JSONSchema = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  properties: {
    ...commonProperties,
    $schema: { const: serverJsonSchemaUrl },
    icons: { type: "array", items: icon },
    packages: { type: "array", maxItems: 100, items: packages },
    remotes: {
      type: "array",
      maxItems: 100,
      items: transport(["streamable-http", "sse"], {
        type: "string",
        pattern: "^(https?://\\S+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}\\S*)$",
      }),
    },
  },
};

/** The rules for a server card, of SEP-2127. */
export const serverCardSchema: JSONSchema = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  properties: {
    ...commonProperties,
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json" },
    icons: {
      type: "array",
      items: {
        type: "object",
        required: ["src"],
        properties: { src: url, mimeType: text, sizes: texts, theme: { enum: ["light", "dark"] } },
      },
    },
    remotes: {
      type: "array",
      maxItems: 100,
      items: {
        type: "object",
        required: ["type", "url"],
        properties: {
          type: { enum: ["streamable-http", "sse"] },
          url: { type: "string", pattern: "^(https?://\\S+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}\\S*)$" },
          headers: { type: "array", items: keyValue },
          variables: inputs,
          supportedProtocolVersions: texts,
        },
      },
    },
  },
};
