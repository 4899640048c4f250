import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { environmentOf } from "../target/environment.ts";
import { headersOf } from "../target/headers.ts";
import { addServers } from "../target/own-config.ts";

/** Adds a server to the configuration of this command line. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, program, shell } = invocation;
  const name = invocation.required("name");
  const url = invocation.operand("target");
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(
      `${JSON.stringify(name)} is not a name of a server.`,
      'letters, digits, ".", "_" and "-"',
    );
  }
  if (url !== undefined && !/^https?:\/\//i.test(url)) {
    throw usageError(`${JSON.stringify(url)} is not a URL.`, `tenon config add ${name} -- ${url}`);
  }
  const headers = headersOf(flags.list("header"));
  const env = environmentOf(flags.list("env"), shell.env);
  const [command = "", ...args] = program ?? [];
  const entry =
    url === undefined
      ? { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }
      : { url, ...(Object.keys(headers).length === 0 ? {} : { headers }) };
  const file = addServers(shell, { [name]: entry }, flags.has("force"));
  printer.result({ file, name, ...entry }, () => `${name} was added to ${file}`);
}
