// npm run demo: from a fresh clone to a call in both eras, and a login.
import { build, install, must, root, run } from "./workspace.mjs";

await install();
await build("@tenon/example-demo");
await build("@tenon/example-protected");
const input = { interactive: true };
await must(run(process.execPath, [`${root}/examples/demo/dist/demo.js`], input), "The demo");
await must(run(process.execPath, [`${root}/examples/protected/dist/demo.js`]), "The demo of authorization");
process.stdout.write(`── Next

  npm run example notes            call a tool yourself, in the inspector: a page in your browser
  npm run example cluster          three processes, of which one is killed in the middle of a call
  npm create tenon my-server       a server of your own

`);
