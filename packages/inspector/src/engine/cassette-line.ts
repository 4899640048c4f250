import { reasonOf } from "@tenon/base";
import { parseCassette, type CassetteEntry, type CassetteHeader } from "@tenon/testing/cassette";

const header = '{"tenon":1,"side":"client"}';

/**
 * Reads one line of a cassette: its header or an entry.
 *
 * @param problem - Called with a sentence about a line that is neither.
 * @returns `undefined` for an empty line, and for a line that is neither.
 */
export function parseCassetteLine(
  line: string,
  problem: (title: string) => void,
): CassetteEntry | CassetteHeader | undefined {
  if (line.trim() === "") {
    return undefined;
  }
  try {
    return line.startsWith('{"tenon"')
      ? parseCassette(line).header
      : parseCassette(`${header}\n${line}`).entries[0];
  } catch (error) {
    problem(`A line of the tap could not be read: ${reasonOf(error)}`);
    return undefined;
  }
}
