#!/usr/bin/env node
import { main } from "./main.ts";

// The project is written nevertheless. There is nothing to report if the reader of the pipe has
// ended, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") {
    process.exit(0);
  }
  process.stderr.write(`The output cannot be written: ${error.message}.\n`);
  process.exit(2);
});
process.exitCode = await main(process.argv.slice(2), process.stdin.isTTY);
