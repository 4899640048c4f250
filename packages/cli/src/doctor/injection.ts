/** Phrases that speak to the model instead of describing a tool. */
const phrases: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|above|earlier|system|other)\s+(?:instructions?|prompts?|rules?|messages?)/i,
  /\b(?:do not|don't|never)\s+(?:tell|inform|mention|reveal|show|notify)\b[^.]{0,40}\bthe user\b/i,
  /\bwithout\s+(?:telling|informing|asking|notifying)\s+the user\b/i,
  /~\/\.(?:ssh|aws|gnupg|netrc|config\/gcloud)\b|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b/i,
  /<\s*(?:important|system|secret|instructions?)\s*>/i,
  /\byou (?:are now|must now|will now) (?:act|behave|be|in)\b/i,
];

/** The first phrase that addresses the model like an attack; `undefined` without such a phrase. */
export function injectionIn(text: string): string | undefined {
  for (const phrase of phrases) {
    const found = phrase.exec(text)?.[0];
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
