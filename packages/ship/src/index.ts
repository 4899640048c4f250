/**
 * The declaration of a server's variables and arguments, which the server reads when it starts, and
 * `tenon ship` when it is packed and published.
 *
 * @packageDocumentation
 */

export {
  defineServerPackage,
  type Declaration,
  type DeclaredArgument,
  type DeclaredVariable,
  type PackageSources,
  type PackageValues,
  type ServerPackage,
} from "./declaration.ts";
export { isShipError, ShipError, shipErrors, type ShipErrorCode, type ShipErrorParts } from "./error.ts";
export type { Finding } from "./finding.ts";
