/** Advice of the libraries for programs: functions to call and options to set. */
const advice: readonly RegExp[] = [
  / ?Call login\(\)[^.]*\./g,
  / To send it anyway, set strictness: "lenient"\./g,
  / Increase (?:it|limits\.\w+)(?:, or (?:have the receiver report progress|request less at a time))?\./g,
  / \((?:[a-z]+(?:Ms|Bytes)|max[A-Z]\w*|[a-z]+[A-Z]\w*Ms)\)/g,
];

/**
 * A message of a library without its advice for programs. The advice for a person is in the
 * hint below the message.
 */
export function forPeople(message: string): string {
  return advice.reduce((text, pattern) => text.replaceAll(pattern, ""), message);
}
