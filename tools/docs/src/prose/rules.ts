/** An expression that is a mistake of style in most texts that it matches. */
export interface Rule {
  readonly id: string;
  /** The share of hits that may stay, in percent. */
  readonly tolerated: number;
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly advice: string;
  /** The only kind of text that the rule is for. By default the rule is for all of them. */
  readonly only?: "message" | "changeset";
  /**
   * What the pattern is matched against: the text, the text with its code, or the whole line of a
   * comment with its indentation. Default: `"text"`.
   */
  readonly reads?: "text" | "code" | "line";
}

/** Above this share of false positives a rule only counts its hits. */
const enforced = 10;

/** Whether a hit of the rule fails the build. */
export function isEnforced(rule: Rule): boolean {
  return rule.tolerated <= enforced;
}

/**
 * The rules, in the order of their names. `^` is the start of a line of text, without the marker of
 * its comment or list.
 */
export const rules: readonly Rule[] = [
  {
    id: "P01",
    tolerated: 10,
    pattern:
      /(?<!here (?:(?:can|may|must|should|will) )?)\b(is|are|was|were|be) (no (?!longer|more|less|such|later|need|reason)[a-z]|none\b)/,
    advice: "negate the verb: is not an object",
  },
  {
    id: "P02",
    tolerated: 0,
    pattern: /^(Most|Longest|Shortest|Least|Fewest|Deepest) /,
    advice: "write the noun: Maximum number of",
  },
  {
    id: "P03",
    tolerated: 20,
    pattern:
      /(^|[.:;,(] ?|\b(and|or|of|to|by|from|for|with|in|on|that|than) )[Ww]hat (is|are|was|were|it|its|they|the|a|an|one|no|this|that|each|every|has|have|does|goes|comes|came|only|must|may|cannot|follows|needs|belongs)\b/,
    advice: "name the thing: the value, the message",
  },
  {
    id: "P04",
    tolerated: 15,
    pattern: /^(What|Who|Whose|Where|How (?!long|many|often|much)|Those|That of) ?/,
    advice: "start with a verb or a noun",
  },
  {
    id: "P05",
    tolerated: 15,
    pattern: /^(Takes|Gives|Says|Tells|Told|Asks|Lets|Makes sure) /,
    advice: "use the technical verb: Returns, Sends, Removes",
  },
  {
    id: "P06",
    tolerated: 10,
    pattern: /\b(is|are|was|were|be|been|being|gets?) told(?! apart)\b|\bTold\b|\btold (of|so)\b/,
    advice: "say called, notified, reported, set",
  },
  {
    id: "P07",
    tolerated: 15,
    pattern:
      /\b[Tt]ells? (\w+ ){0,2}of\b|\b[Tt]ells? (the |its |this )?(clients?|servers?|listeners|sessions?|other)\b/,
    advice: "say notifies, sends, reports",
  },
  {
    id: "P08",
    tolerated: 10,
    pattern: /\b(hears?|heard)\b/,
    advice: "say receives, is notified, no response",
  },
  {
    id: "P09",
    tolerated: 35,
    pattern:
      /\b(says?|said) (that|which|how|what|whether|so|nothing|when|by|of|it|who|where|why|no)\b|\bsays otherwise\b|\bis said\b/,
    advice: "say returns, declares, reports",
  },
  { id: "P10", tolerated: 5, pattern: /\bother (side|end)\b/, advice: "say client, server or remote peer" },
  {
    id: "P11",
    tolerated: 25,
    pattern: /\b([Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever)\b/,
    advice: "name who does it",
  },
  {
    id: "P13",
    tolerated: 5,
    pattern: /\banew\b|\bover again\b|\bagain and again\b/,
    advice: "say again, restart, reconnect",
  },
  {
    id: "P14",
    tolerated: 5,
    pattern:
      /[,;(] also (of|the|those|that|what|if|when|while|where|in|on|with|from|before|after|one|by|for|an?|as|to)\b/,
    advice: "put also before the verb, or say including",
  },
  {
    id: "P15",
    tolerated: 15,
    pattern: /\btaken? for\b|\btakes? (that|it|them|null) for\b/,
    advice: "say treated as",
  },
  {
    id: "P16",
    tolerated: 10,
    pattern: /\bunder way\b|\bon (its|their|the) way\b/,
    advice: "say in flight, running, pending",
  },
  {
    id: "P17",
    tolerated: 25,
    pattern: /\btexts\b|\b(no|be|is|are|same|one|whose|of|a) text\b(?! (file|block|content|node|message))/,
    advice: "say string",
  },
  { id: "P18", tolerated: 45, pattern: /\b[Mm]embers?\b/, advice: "say property" },
  {
    id: "P19",
    tolerated: 50,
    pattern:
      /\b(the|an?|every|each|another|older|newer|modern|legacy|longer|last|first|second|same|next|new|old|other|further|later|earlier) ones?\b(?! (of|or more|at))/,
    advice: "repeat the noun",
  },
  {
    id: "P20",
    tolerated: 25,
    pattern: /\b(that|those) (of|by|for|in|with|who|from|to) /,
    advice: "repeat the noun",
  },
  {
    id: "P21",
    tolerated: 5,
    pattern: /\b(do|does|did|would)( not|n't) fit\b|\b[Mm]isfits?\b|\bunfit/,
    advice: "say is not valid, does not match",
  },
  {
    id: "P22",
    tolerated: 20,
    pattern: /\b(is|are|was|were) (over|gone|through|done with)\b(?! of)/,
    advice: "say completed, closed, expired",
  },
  {
    id: "P23",
    tolerated: 15,
    pattern: /\b(is|are|was|were|be|been) (still )?there\b(?! (a|an|any|no)\b)/,
    advice: "say exists, is available",
  },
  {
    id: "P24",
    tolerated: 25,
    pattern: /\b(go|goes|went|gone) (by|on|along|through|out|round|away|back|first|nowhere|with)\b/,
    advice: "use the technical verb: continue, is sent",
  },
  {
    id: "P25",
    tolerated: 35,
    pattern: /\b(stands?|stood) (in|for|beside|at|there|with|behind|alone|still|on|before)\b/,
    advice: "say is, appears, is replaced by",
  },
  {
    id: "P26",
    tolerated: 10,
    pattern:
      /(\d|`|Default|Infinity|undefined): (none|not at all|never|nothing|no limit|any|all|those|that)\b/,
    advice: "write a clause: `0` disables the limit",
  },
  {
    id: "P27",
    tolerated: 0,
    pattern: /(?<![\d.])\d{1,3}( \d{3})+(?!\d)/,
    advice: "write `60_000` in code font, 60,000 in prose",
    reads: "code",
  },
  { id: "P28", tolerated: 0, pattern: /−\d/, advice: "write the ASCII hyphen", reads: "code" },
  {
    id: "P29",
    tolerated: 5,
    pattern:
      /\b(un)?(recognis|behaviour|honour|colour|licence|fulfil(?!l)|serialis|normalis|initialis|authoris|optimis|neighbour|analyse|favour|organis|spelt)\w*\b(?!\.\w)/i,
    advice: "spell it the American way",
  },
  {
    id: "P31",
    tolerated: 10,
    pattern: /\b[Qq]uestions?\b/,
    advice: "say request, input request",
  },
  {
    id: "P32",
    tolerated: 30,
    pattern: /\b(is|are|was|were|be|been) asked\b|\basked for again\b/,
    advice: "say called, requested",
  },
  { id: "P33", tolerated: 25, pattern: /\b[Aa]nswer(s|ed)?\b/, advice: "say response, respond, return" },
  {
    id: "P35",
    tolerated: 20,
    pattern: /\bas (it is|they are|it was|they were|given|it came|they came|it stands)\b(?! \w+ed)/,
    advice: "say unchanged, verbatim",
  },
  {
    id: "P36",
    tolerated: 10,
    pattern:
      /\b(let|lets) (go|through|out|off|pass)\b|\b(is|are) let\b|\bgets? round\b|\bf(inds?|ound) out\b/,
    advice: "say reject, accept, detect",
  },
  {
    id: "P37",
    tolerated: 10,
    pattern: /\bsilen(ce|t)\b|\bsign of life\b|\bin good order\b/,
    advice: "say idle, does not respond",
  },
  {
    id: "P39",
    tolerated: 25,
    pattern: /\b(that|which|whose)\b[^.;:|,]{1,30}\b(that|which|whose)\b/,
    advice: "make two sentences",
  },
  {
    id: "P41",
    tolerated: 20,
    pattern: /\b(for ever|all the same|beside|at the latest|[Mm]eanwhile|for good)\b/,
    advice: "say indefinitely, next to, permanently",
  },
  {
    id: "E01",
    tolerated: 45,
    pattern: /^(A|An|The|Every|Each) [\w '${}.()/]{2,40}? (has|have|is|are|needs?|takes?) /,
    advice: "report one failure: <path> must be <expected>; got <actual>",
    only: "message",
  },
  {
    id: "C01",
    tolerated: 25,
    pattern: /\bused to\b|[;(] ?before,|\bbefore\)/,
    advice: "start a sentence with Previously",
    only: "changeset",
  },
  { id: "L01", tolerated: 0, pattern: /^.{101}/, advice: "wrap the comment at 100 columns", reads: "line" },
  { id: "C02", tolerated: 0, pattern: /^.{450,}/, advice: "make paragraphs", only: "changeset" },
];
