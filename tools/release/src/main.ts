import { acceptReports, apiReports } from "./api/compare.ts";

const [command] = process.argv.slice(2);

if (command === "api") {
  acceptReports(apiReports());
} else {
  process.stderr.write(`Expected the command "api", got ${JSON.stringify(command ?? "nothing")}.\n`);
  process.exitCode = 2;
}
