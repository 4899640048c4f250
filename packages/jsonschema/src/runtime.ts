/**
 * Functions for the modules that `@tenon/jsonschema/aot` writes. Do not import it yourself. It
 * changes together with the generator, so regenerate the modules when you update this package.
 *
 * @packageDocumentation
 */
import { createMeter as createMeterWith, type Meter } from "./ir/meter.ts";
import { limitsOf } from "./options.ts";

export { hasOne, nothingEvaluated, seenBefore } from "./closures/evaluated.ts";
export { hasOther } from "./codegen/helpers.ts";
export { isBase64, isBase64Json, isJson } from "./format/content.ts";
export { isDate, isDateTime, isDuration, isTime } from "./format/date-time.ts";
export { isEmail, isIdnEmail } from "./format/email.ts";
export { isHostname, isIdnHostname } from "./format/hostname.ts";
export { isIpv4, isIpv6 } from "./format/ip.ts";
export { isJsonPointer, isRegex, isRelativeJsonPointer, isUriTemplate, isUuid } from "./format/text.ts";
export { isIri, isIriReference, isUri, isUriReference } from "./format/uri.ts";
export { deepEqual } from "./value/equal.ts";
export { tooLong, tooShort } from "./value/length.ts";
export { multipleOf } from "./value/multiple-of.ts";
export { unique } from "./value/unique.ts";

/** A meter with the default limits on instance depth (512) and steps (5,000,000). */
export function createMeter(): Meter {
  return createMeterWith(limitsOf({}));
}

/**
 * Runs a check that charges a meter. An instance that hits a limit does not conform, and `onLimit`
 * is called.
 */
export function metered(
  check: (value: unknown) => boolean,
  meter: Meter,
  onLimit?: () => void,
): (value: unknown) => boolean {
  return (value) => {
    meter.reset();
    try {
      return check(value);
    } catch (error) {
      if (!(error instanceof RangeError)) {
        throw error;
      }
      onLimit?.();
      return false;
    }
  };
}
