// npm run demo: from a fresh clone to a conversation between a client and a server.
import { build, install, must, root, run } from "./workspace.mjs";

await install();
await build("@tenon/example-notes");
await build("@tenon/example-protected");
await must(run(process.execPath, [`${root}/examples/notes/dist/client.js`]), "The demo");
await must(run(process.execPath, [`${root}/examples/protected/dist/demo.js`]), "The demo of authorization");
