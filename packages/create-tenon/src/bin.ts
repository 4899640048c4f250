#!/usr/bin/env node
import { main } from "./main.ts";

// The reader of the pipe has ended, as `head` does. The project is written nevertheless.
process.stdout.on("error", () => process.exit(0));
process.exitCode = await main(process.argv.slice(2), process.stdin.isTTY);
