// Derived properties and contextual rules of RFC 5892, and the Bidi rule of RFC 5893.

const letterDigit = /^[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]$/u;
const ignorable = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}]/u;
// Combining marks for symbols, musical symbols (§2.4), conjoining Hangul jamo (§2.9).
const blocks = /[\u20d0-\u20ff\u{1d100}-\u{1d24f}\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]/u;
const allowed = new Set([0xdf, 0x3c2, 0x6fd, 0x6fe, 0xf0b, 0x3007]);
const disallowed = /\u302e|\u302f|[\u0640\u07fa\u3031-\u3035\u303b]/u;
const context = /\u200c|\u200d|[\u00b7\u0375\u05f3\u05f4\u30fb\u0660-\u0669\u06f0-\u06f9]/u;

// Joining types, as far as general categories and scripts (by their codes of ISO 15924) tell them.
const rightOnly =
  "\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5\\u06ee\\u06ef\\u0710\\u0715-\\u0719\\u071e\\u0728\\u072a\\u072c\\u072f";
const joining = "\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mong}\\p{sc=Phag}\\p{sc=Mand}";
const joinsLeft = new RegExp(`(?:(?![${rightOnly}])(?=\\p{L})[${joining}])[\\p{Mn}\\p{Me}\\p{Cf}]*$`, "u");
const joinsRight = new RegExp(`^[\\p{Mn}\\p{Me}\\p{Cf}]*(?=\\p{L})[${joining}]`, "u");

type Bidi = "R" | "AN" | "EN" | "NSM" | "ON" | "L";

// The first that takes a character; L is the rest. Scripts from right to left have blocks of their
// own.
const bidi: readonly (readonly [Bidi, RegExp])[] = [
  ["NSM", /[\p{Mn}\p{Me}]/u],
  ["AN", /[\u0660-\u0669\u{10d30}-\u{10d39}]/u],
  ["EN", /[0-9\u06f0-\u06f9]/],
  ["ON", /[-\u00b7\u0375\u30fb\u200c\u200d]/],
  ["R", /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u],
];

/** True if the label may be a U-label as far as its characters go (RFC 5891 §4.2, RFC 5892). */
export function isULabel(label: string): boolean {
  const characters = Array.from(label);
  const [first = ""] = characters;
  if (first === "" || label.startsWith("-") || label.endsWith("-") || label.slice(2, 4) === "--") {
    return false;
  }
  if (/^[\p{Mn}\p{Mc}\p{Me}]/u.test(first) || label.normalize("NFC") !== label) {
    return false;
  }
  return characters.every(
    (character, i) =>
      character === "-" ||
      (context.test(character) ? inContext(characters, i, character) : isValidCharacter(character)),
  );
}

function isValidCharacter(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  if (allowed.has(point)) {
    return true;
  }
  if (disallowed.test(character) || ignorable.test(character) || blocks.test(character)) {
    return false;
  }
  return (
    letterDigit.test(character) && character.normalize("NFKC").toLowerCase().normalize("NFKC") === character
  );
}

// Canonical combining class 9: what normalization puts after a mark of class 8, and before one of
// class 10. No character that decomposes is of that class.
function isVirama(character: string): boolean {
  const [after8, before10] = [`${character}\u3099`, `\u05b0${character}`];
  return (
    character.normalize("NFD") === character &&
    after8.normalize("NFD") !== after8 &&
    before10.normalize("NFD") !== before10
  );
}

// RFC 5892 appendix A
function inContext(label: readonly string[], i: number, character: string): boolean {
  const before = label.slice(0, i).join("");
  switch (character) {
    case "\u200c":
      return (
        isVirama(label[i - 1] ?? "") ||
        (joinsLeft.test(before) && joinsRight.test(label.slice(i + 1).join("")))
      );
    case "\u200d":
      return isVirama(label[i - 1] ?? "");
    case "\u00b7":
      return label[i - 1] === "l" && label[i + 1] === "l";
    case "\u0375":
      return /^\p{sc=Grek}/u.test(label[i + 1] ?? "");
    case "\u05f3":
    case "\u05f4":
      return /\p{sc=Hebr}$/u.test(before);
    case "\u30fb":
      return label.some((c) => /[\p{sc=Hira}\p{sc=Kana}\p{sc=Hani}]/u.test(c));
    default: {
      // Arabic-Indic digits, and the extended ones: not both.
      const other = character < "\u06f0" ? /[\u06f0-\u06f9]/ : /[\u0660-\u0669]/;
      return !label.some((c) => other.test(c));
    }
  }
}

/** True if some character makes the name one the Bidi rule speaks of (RFC 5893 §1.4). */
export function isRightToLeft(label: string): boolean {
  return Array.from(label, bidiClass).some((c) => c === "R" || c === "AN");
}

function bidiClass(character: string): Bidi {
  return bidi.find(([, characters]) => characters.test(character))?.[0] ?? "L";
}

/** The Bidi rule for one label of a right-to-left name (RFC 5893 §2). */
export function obeysBidiRule(label: string): boolean {
  const classes = Array.from(label, bidiClass);
  const last = classes.findLast((c) => c !== "NSM");
  if (classes[0] === "R") {
    if (classes.includes("L") || (classes.includes("EN") && classes.includes("AN"))) {
      return false;
    }
    return last === "R" || last === "EN" || last === "AN";
  }
  return (
    classes[0] === "L" && !classes.includes("R") && !classes.includes("AN") && (last === "L" || last === "EN")
  );
}
