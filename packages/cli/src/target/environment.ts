import { usageError } from "../exit.ts";

/**
 * The variables of `--env`, in addition to the few that programs get by default: `NAME=value` sets
 * one, `NAME` passes one on.
 *
 * @throws `CliError` for a variable that is to be passed on and has no value.
 */
export function environmentOf(
  settings: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    settings.map((setting) => {
      const equals = setting.indexOf("=");
      const name = equals === -1 ? setting : setting.slice(0, equals);
      if (!/^[A-Za-z_]\w*$/.test(name)) {
        throw usageError(
          `--env takes the name of a variable; got ${JSON.stringify(name)}.`,
          "--env NAME=value",
        );
      }
      const value = equals === -1 ? env[name] : setting.slice(equals + 1);
      if (value === undefined) {
        throw usageError(`--env ${name}: the variable has no value here.`, `--env ${name}=value`);
      }
      return [name, value];
    }),
  );
}
