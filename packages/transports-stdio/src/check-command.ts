import { kindOf, requireOptions } from "@tenon/base";

/** The parts of a command that the system takes as strings. */
interface Command {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** @throws `TypeError` for a command, an argument or a variable that is not a string. */
export function checkCommand(subject: string, options: Command): void {
  requireOptions(subject, options, { command: "string" });
  const { args = [], env = {} } = options;
  const places = [
    ...args.map((value, index) => [`args[${index}]`, value] as const),
    // A variable without a value is not set.
    ...Object.entries(env).map(([name, value]) => [`env.${name}`, value ?? ""] as const),
  ];
  const wrong = places.find(([, value]) => typeof value !== "string");
  if (wrong !== undefined) {
    throw new TypeError(`${subject}: ${wrong[0]} must be a string; got ${kindOf(wrong[1])}.`);
  }
}
