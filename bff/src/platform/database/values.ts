/**
 * How values are converted between JavaScript and PostgreSQL, for both databases. All values are sent as text.
 *
 * - int2, int4, int8, oid, float4, float8: number; an int8 beyond a number's exact range throws
 * - numeric (also `sum` of int8): number if it is a whole number that fits, else its text
 * - bool: boolean
 * - date: `YYYY-MM-DD`
 * - timestamptz: Date (milliseconds)
 * - json, jsonb: the parsed value
 * - bytea: Buffer
 * - arrays of these: arrays
 * - everything else: its text
 */
type Parse = (text: string) => unknown;

const parsers = new Map<number, Parse>();
const asText: Parse = (text) => text;

/** Reads a column's text; `oid` is the type's number in PostgreSQL's catalogue. */
export function parserOf(oid: number): Parse {
  return parsers.get(oid) ?? asText;
}

/** Writes a parameter as text; null stays null. Arrays become PostgreSQL arrays; other objects become JSON. */
export function encodeParameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      return encodeObject(value);
    default:
      throw new TypeError(`A ${typeof value} cannot be a parameter of a query.`);
  }
}

function encodeObject(value: object): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
  if (Array.isArray(value)) return encodeArray(value);
  return JSON.stringify(value);
}

/** Characters that are escaped with a backslash in array elements. Most elements have none. */
const SPECIAL = /["\\]/;

function encodeArray(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    if (Array.isArray(value)) return encodeArray(value);
    const text = encodeParameter(value);
    return text === null ? "NULL" : `"${SPECIAL.test(text) ? text.replaceAll(/["\\]/g, "\\$&") : text}"`;
  });
  return `{${elements.join(",")}}`;
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("An int8 from the database does not fit a JavaScript number.");
  return value;
}

function parseNumeric(text: string): number | string {
  const value = Number(text);
  return /^-?\d+$/.test(text) && Number.isSafeInteger(value) ? value : text;
}

function parseDate(text: string): string {
  if (!/^\d{4,}-\d\d-\d\d$/.test(text)) throw new RangeError("A date from the database is not of the form YYYY-MM-DD.");
  return text;
}

const timestampShape = /^(\d{4,6})-(\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)([+-]\d\d)(?::?(\d\d))?$/;

function parseTimestamp(text: string): Date {
  const match = timestampShape.exec(text);
  if (match === null)
    throw new RangeError("A timestamp from the database is infinite, before the common era, or not ISO.");
  const [, year = "", day, time, hours, minutes = "00"] = match;
  const fullYear = year.length === 4 ? year : `+${year.padStart(6, "0")}`;
  return new Date(`${fullYear}-${day}T${time}${hours}:${minutes}`);
}

function parseBytes(text: string): Buffer {
  if (!text.startsWith("\\x")) throw new RangeError("A bytea from the database is not in hex format.");
  return Buffer.from(text.slice(2), "hex");
}

function arrayOf(parse: Parse): Parse {
  return (text) => readArray(text, text.indexOf("{"), parse).values;
}

/** Reads `{…}` from its opening brace. `next` is the position after its closing brace. */
function readArray(text: string, start: number, parse: Parse): { values: unknown[]; next: number } {
  const values: unknown[] = [];
  let at = start + 1;
  while (at < text.length && text[at] !== "}") {
    if (text[at] === ",") {
      at += 1;
      continue;
    }
    const element = text[at] === "{" ? nested(text, at, parse) : readElement(text, at, parse);
    values.push(element.value);
    at = element.next;
  }
  return { values, next: at + 1 };
}

function nested(text: string, start: number, parse: Parse): { value: unknown; next: number } {
  const { values, next } = readArray(text, start, parse);
  return { value: values, next };
}

function readElement(text: string, start: number, parse: Parse): { value: unknown; next: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== "," && text[end] !== "}") end += 1;
    const plain = text.slice(start, end);
    return { value: plain === "NULL" ? null : parse(plain), next: end };
  }
  let content = "";
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === "\\") at += 1;
    content += text[at] ?? "";
    at += 1;
  }
  return { value: parse(content), next: at + 1 };
}

/** Does not check the shape, because each store declares the content of its JSON columns. */
function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** Type number, number of its array type, reader. */
const types: ReadonlyArray<readonly [oid: number, arrayOid: number, parse: Parse]> = [
  [16, 1000, (text) => text === "t"],
  [17, 1001, parseBytes],
  [20, 1016, parseInt8],
  [21, 1005, Number],
  [23, 1007, Number],
  [26, 1028, Number],
  [700, 1021, Number],
  [701, 1022, Number],
  [1700, 1231, parseNumeric],
  [114, 199, parseJson],
  [3802, 3807, parseJson],
  [1082, 1182, parseDate],
  [1184, 1185, parseTimestamp],
  [25, 1009, asText],
  [1043, 1015, asText],
  [1042, 1014, asText],
  [2950, 2951, asText],
  [1114, 1115, asText],
];

for (const [oid, arrayOid, parse] of types) {
  parsers.set(oid, parse);
  parsers.set(arrayOid, arrayOf(parse));
}
