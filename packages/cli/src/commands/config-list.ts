import type { Invocation } from "../command/invocation.ts";
import { visibleLine } from "../output/escape.ts";
import { table } from "../output/table.ts";
import { readConfigurations } from "../target/configurations.ts";

/** Prints the servers of all configurations, without their secrets. */
export async function run({ flags, printer, shell }: Invocation): Promise<undefined> {
  const files = await readConfigurations(shell, flags.text("config"));
  const servers = files.flatMap(({ path, owner, config }) =>
    (config?.servers ?? []).map(({ name, redacted }) => ({ name, file: path, owner, ...redacted })),
  );
  const errors = files.flatMap(({ path, config, error }) => [
    ...(error === undefined ? [] : [{ file: path, message: error.message }]),
    ...[...(config?.errors ?? [])].map(([name, reason]) => ({ file: path, name, message: reason.message })),
  ]);
  printer.result({ servers, errors }, () => {
    const rows = servers.map((server) => [
      visibleLine(server.name),
      server.type === "stdio" ? visibleLine([server.command, ...(server.args ?? [])].join(" ")) : server.url,
      server.owner,
    ]);
    const lines = table(rows, { width: printer.width, styles: [printer.style.name] });
    const problems = errors.map(({ file, message, ...of }) =>
      ["!", `${file}:`, ...("name" in of ? [`${visibleLine(of.name)}:`] : []), visibleLine(message)].join(
        " ",
      ),
    );
    return [...(lines.length === 0 ? ["No server is configured."] : lines), ...problems].join("\n");
  });
}
