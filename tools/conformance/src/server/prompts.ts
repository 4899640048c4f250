import { text, type Server } from "@tenon/mcp";

import { png } from "./samples.ts";

/** Prompts of every kind. */
export function addPrompts(server: Server): void {
  server.addPrompt(
    { name: "test_simple_prompt", description: "Has no arguments" },
    () => "This is a simple prompt.",
  );
  server.addPrompt(
    {
      name: "test_prompt_with_arguments",
      description: "Has two arguments",
      arguments: [
        { name: "arg1", description: "The first", required: true },
        { name: "arg2", description: "The second", required: true },
      ],
      complete: { arg1: ["testing", "test", "paris"] },
    },
    ({ arg1, arg2 }) => `Arguments: ${arg1}, ${arg2}`,
  );
  server.addPrompt(
    {
      name: "test_prompt_with_embedded_resource",
      description: "Embeds a resource",
      arguments: [{ name: "resourceUri", description: "What to embed", required: true }],
    },
    ({ resourceUri }) => [
      {
        type: "resource",
        resource: { uri: resourceUri, mimeType: "text/plain", text: "An embedded resource." },
      },
      text("Please look at the resource."),
    ],
  );
  server.addPrompt({ name: "test_prompt_with_image", description: "Shows an image" }, () => [
    { type: "image", data: png, mimeType: "image/png" },
    text("Please look at the image."),
  ]);
}
