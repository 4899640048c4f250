import type { Server } from "@tenon/mcp";

import { png } from "./samples.ts";

/** Resources of every kind. */
export function addResources(server: Server): void {
  server.addResource(
    { uri: "test://static-text", name: "Static text", description: "Text", mimeType: "text/plain" },
    () => "This is a text.",
  );
  server.addResource(
    { uri: "test://static-binary", name: "Static binary", description: "An image", mimeType: "image/png" },
    () => Uint8Array.from(atob(png), (character) => character.charCodeAt(0)),
  );
  server.addResource(
    { uri: "test://watched-resource", name: "Watched", description: "May change", mimeType: "text/plain" },
    () => "Watched.",
  );
  server.addResourceTemplate(
    {
      uriTemplate: "test://template/{id}/data",
      name: "Template",
      description: "One for every id",
      mimeType: "application/json",
    },
    ({ variables: { id } }) => JSON.stringify({ id, data: `Data for ${id}` }),
  );
}
