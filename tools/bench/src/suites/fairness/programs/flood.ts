// The client that floods, in a process of its own. Arguments: the flood, the port, how clients are
// told apart.
import { serveSamples } from "../../../child.ts";
import type { Metrics } from "../../../runner.ts";
import { floods, startFlood } from "../floods.ts";
import { flooder, type Distinction } from "../identity.ts";

const [name, port, by] = process.argv.slice(2);
const flood = floods.find((some) => some.name === name);
const tally = { sent: 0, refused: 0 };
/** The end of a flood whose parent does not end it. */
const maxMs = 60_000;

setTimeout(() => process.exit(4), maxMs).unref();
process.on("disconnect", () => process.exit());
serveSamples(
  new Map<string, () => Metrics | Promise<Metrics>>([
    [
      "begin",
      async () => {
        if (flood === undefined) {
          throw new Error(`Unknown flood: ${String(name)}`);
        }
        await startFlood(flood, { port: Number(port), identity: flooder(by as Distinction), tally });
        return { ...tally };
      },
    ],
    ["tally", (): Metrics => ({ ...tally })],
  ]),
);
