import { text, type Server } from "@tenon/mcp";

import { png, wav } from "./samples.ts";

/** The schema that must arrive as it was written. */
const fullSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;

/** Tools that answer with every kind of content. */
export function addContentTools(server: Server): void {
  const image = { type: "image", data: png, mimeType: "image/png" } as const;
  server.addTool(
    { name: "test_simple_text", description: "Answers with text" },
    () => "This is a simple text.",
  );
  server.addTool({ name: "test_image_content", description: "Answers with an image" }, () => image);
  server.addTool({ name: "test_audio_content", description: "Answers with a sound" }, () => ({
    type: "audio",
    data: wav,
    mimeType: "audio/wav",
  }));
  server.addTool({ name: "test_embedded_resource", description: "Answers with a resource" }, () => ({
    type: "resource",
    resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "An embedded resource." },
  }));
  server.addTool(
    { name: "test_multiple_content_types", description: "Answers with several kinds of content" },
    () => [
      text("Several kinds of content:"),
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data"}',
        },
      },
    ],
  );
  server.addTool({ name: "test_error_handling", description: "Fails" }, () => {
    throw new Error("This tool always fails.");
  });
  server.addTool(
    { name: "json_schema_2020_12_tool", description: "Has a schema with many keywords", input: fullSchema },
    () => "ok",
  );
  server.addTool(
    {
      name: "test_x_mcp_header",
      description: "Has an argument that a header repeats",
      input: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
      },
    },
    ({ region }) => `region ${region ?? "unknown"}`,
  );
}
