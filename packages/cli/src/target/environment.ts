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
    variablesOf(settings).map(([name, given]) => {
      const value = given ?? env[name];
      if (value === undefined) {
        throw usageError(`--env ${name}: the variable has no value here.`, `--env ${name}=value`);
      }
      return [name, value];
    }),
  );
}

/**
 * The names of the variables of `--env`, with the values that are given.
 *
 * @throws `CliError` for a name that no variable can have.
 */
export function variablesOf(settings: readonly string[]): readonly (readonly [string, string | undefined])[] {
  return settings.map((setting) => {
    const equals = setting.indexOf("=");
    const name = equals === -1 ? setting : setting.slice(0, equals);
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw usageError(
        `--env takes the name of a variable; got ${JSON.stringify(name)}.`,
        "--env NAME=value",
      );
    }
    return [name, equals === -1 ? undefined : setting.slice(equals + 1)];
  });
}
