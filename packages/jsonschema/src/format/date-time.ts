const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/;
const DURATION =
  /^P(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?|T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))$/;

const LEAP_DAY = /^\d{4}-02-29$/;
// Dates and times that need no second look.
const COMMON_DATE =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)$/;
const COMMON_TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const COMMON = new RegExp(`${COMMON_DATE.source.slice(0, -1)}[tT]${COMMON_TIME.source.slice(1)}`);

/** `full-date` of RFC 3339 §5.6, in the proleptic Gregorian calendar. */
export function isDate(text: string): boolean {
  if (COMMON_DATE.test(text)) return true;
  if (!LEAP_DAY.test(text)) return false;
  const year = Number(text.slice(0, 4));
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** `full-time` of RFC 3339 §5.6; second 60 only where it is 23:59:60 in UTC (§5.7). */
export function isTime(text: string): boolean {
  if (COMMON_TIME.test(text)) return true;
  const match = TIME.exec(text);
  if (match === null) return false;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [offsetHour, offsetMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (match[4] === "-" ? -1 : 1);
  return (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

/** `date-time` of RFC 3339 §5.6. */
export function isDateTime(text: string): boolean {
  const separator = text.charCodeAt(10);
  if (separator !== 84 && separator !== 116) return false;
  return COMMON.test(text) || (isDate(text.slice(0, 10)) && isTime(text.slice(11)));
}

/** `duration` of RFC 3339 appendix A. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}
