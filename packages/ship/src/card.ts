/**
 * Server cards: the facts that clients need before they connect. Runs on every platform.
 *
 * @packageDocumentation
 */

export {
  cardOf,
  serverCard,
  serverCardType,
  type CardOptions,
  type ServerCard,
  type ServerCardOptions,
} from "./card/card.ts";
export { checkServerCard, readCard, type ReadCard, type ReadCardOptions } from "./card/read-card.ts";
export type { Finding } from "./finding.ts";
