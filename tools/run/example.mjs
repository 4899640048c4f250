// npm run example <name>: installs, builds and starts one example, and says what it shows.
import { join } from "node:path";

import { examples, startOf } from "./examples.mjs";
import { build, install, must, root, run } from "./workspace.mjs";

const [name, ...more] = process.argv.slice(2);
const example = name === undefined ? undefined : examples[name];
if (example === undefined) {
  const width = Math.max(...Object.keys(examples).map((each) => each.length));
  const lines = Object.entries(examples).map(([each, { shows }]) => `  ${each.padEnd(width)}  ${shows}`);
  const wrong = name === undefined ? "" : `There is no example ${JSON.stringify(name)}.\n\n`;
  process.stdout.write(`${wrong}npm run example <name>\n\n${lines.join("\n")}\n`);
  process.exit(name === undefined ? 0 : 2);
}
if (example.needs !== undefined && !example.needs.isThere()) {
  process.stdout.write(`The example ${name} needs ${example.needs.what}.\n`);
  process.exit(2);
}
await install();
for (const member of [name, ...(example.also ?? [])]) {
  await build(`@tenon/example-${member}`);
}
process.stdout.write(`\n${example.shows}\n${example.ends ?? "It ends by itself."}\n\n`);
const { program, cwd } = startOf(name, more);
if (example.inspect === true) {
  // A server over standard input and output has no face of its own: the inspector is one.
  await build("@tenon/cli");
  const cli = join(root, "packages", "cli", "dist", "bin.js");
  await must(
    run(process.execPath, [cli, "inspect", "--", process.execPath, ...program], { interactive: true, cwd }),
    name,
  );
} else {
  await must(run(process.execPath, program, { interactive: true, cwd }), `The example ${name}`);
}
