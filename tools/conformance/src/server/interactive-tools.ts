import type { Server } from "@tenon/mcp";

import { nameForm } from "./forms.ts";

/** Tools that ask the client, in whichever way its era has. */
export function addInteractiveTools(server: Server): void {
  server.addTool(
    {
      name: "test_sampling",
      description: "Asks for a completion",
      input: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    },
    async ({ prompt }, context) => {
      const { content } = await context.sample({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      });
      return `The model said: ${JSON.stringify(content)}`;
    },
  );
  server.addTool(
    {
      name: "test_elicitation",
      description: "Asks the user",
      input: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    },
    async ({ message }, context) => {
      const outcome = await context.elicit({
        message,
        requestedSchema: {
          type: "object",
          properties: { username: { type: "string" }, email: { type: "string" } },
          required: ["username", "email"],
        },
      });
      return `The user did ${outcome.action}: ${JSON.stringify(outcome.content ?? {})}`;
    },
  );
  server.addTool({ name: "test_streaming_elicitation", description: "Asks the user" }, async (_, context) => {
    const outcome = await context.elicit({ message: "Who are you?", requestedSchema: nameForm });
    return `The user did ${outcome.action}`;
  });
  server.addTool(
    { name: "test_missing_capability", description: "Cannot do without sampling" },
    async (_, context) => {
      await context.sample({
        messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
        maxTokens: 10,
      });
      return "done";
    },
  );
  server.addTool(
    { name: "test_elicitation_sep1034_defaults", description: "Shows a form with defaults" },
    async (_, context) => {
      const outcome = await context.elicit({
        message: "Please check",
        requestedSchema: {
          type: "object",
          properties: {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
          required: [],
        },
      });
      return `The user did ${outcome.action}: ${JSON.stringify(outcome.content ?? {})}`;
    },
  );
  server.addTool(
    { name: "test_elicitation_sep1330_enums", description: "Shows a form with every kind of choice" },
    async (_, context) => {
      const titled = [
        { const: "value1", title: "First" },
        { const: "value2", title: "Second" },
      ];
      const outcome = await context.elicit({
        message: "Please choose",
        requestedSchema: {
          type: "object",
          properties: {
            untitledSingle: { type: "string", enum: ["option1", "option2"] },
            titledSingle: { type: "string", oneOf: titled },
            legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["One", "Two"] },
            untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2"] } },
            titledMulti: { type: "array", items: { anyOf: titled } },
          },
          required: [],
        },
      });
      return `The user did ${outcome.action}: ${JSON.stringify(outcome.content ?? {})}`;
    },
  );
}
