// Resources
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const notes = new Map([
  ["1", "The hole that a tenon fits into."],
  ["2", "The end of a beam."],
]);
const server = new Server({ name: "library", version: "1.0.0" });
server.addResourceTemplate(
  {
    uriTemplate: "notes://{id}",
    name: "note",
    mimeType: "text/plain",
    list: () => [...notes.keys()].map((id) => ({ uri: `notes://${id}`, name: `note ${id}` })),
    complete: { id: (start) => [...notes.keys()].filter((id) => id.startsWith(start)) },
  },
  ({ variables: { id } }) => notes.get(id),
);

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

for await (const { uri } of session.resources()) {
  const { contents } = await session.readResource({ uri });
  console.log(uri, contents[0].text);
}
await session.readResource({ uri: "notes://3" }).catch((error) => console.log(error.code, error.message));

await session.close();
