// npm run demo: from a fresh clone to a conversation between a client and a server.
import { install, must, pnpm, root, run } from "./workspace.mjs";

await install();
await must(
  pnpm(["exec", "turbo", "run", "build", "--filter=@tenon/example-notes...", "--output-logs=errors-only"], {
    quiet: true,
  }),
  "Building",
);
await must(run(process.execPath, [`${root}/examples/notes/dist/client.js`]), "The demo");
