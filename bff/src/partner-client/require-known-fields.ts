/**
 * The fields of a call's argument, as a table that the compiler checks. A missing field or an additional one does not
 * compile.
 */
export type FieldsOf<T> = T extends readonly (infer Item)[]
  ? FieldsOf<Item>
  : T extends string | number | boolean | null | undefined | Uint8Array
    ? true
    : { readonly [Name in keyof Required<T>]: FieldsOf<NonNullable<T[Name]>> };

type Table = { readonly [Name in string]: true | Table };

/**
 * Throws `TypeError` if the argument of a call has an unknown field, at any depth. A misspelt optional field would
 * otherwise be dropped silently: the checkout without its order, the receipt without its claim.
 */
export function requireKnownFields(call: string, value: unknown, table: true | Table, path = ""): void {
  if (table === true || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) requireKnownFields(call, item, table, path);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(table, name) ? table[name] : undefined;
    if (known === undefined) throw new TypeError(`${call}: ${unknownField(path, name, Object.keys(table))}`);
    requireKnownFields(call, inner, known, `${path}${name}.`);
  }
}

function unknownField(path: string, name: string, known: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[_-]/g, "");
  const meant = known.find((one) => plain(one) === plain(name));
  const advice = meant === undefined ? `Known fields: ${known.join(", ")}.` : `Did you mean "${meant}"?`;
  return `there is no field "${path}${name}". ${advice}`;
}

/** Throws `TypeError` unless the value is a non-empty text. */
export function requireText(what: string, value: unknown): void {
  if (typeof value !== "string" || value.trim() === "")
    throw new TypeError(`${what} must be a text, but is ${value === "" ? "empty" : typeof value}.`);
}

/**
 * Throws `TypeError` unless there is a file, and each has its bytes. Otherwise the text `undefined` would be sent as
 * the receipt.
 */
export function requireFiles(
  call: string,
  files: readonly Partial<Record<"name" | "type" | "bytes", unknown>>[],
): void {
  // A program in JavaScript may leave them out.
  if (!Array.isArray(files) || files.length === 0)
    throw new TypeError(`${call}: files must be a list with the receipt: [{name, type, bytes}].`);
  for (const { name, type, bytes } of files) {
    requireText(`${call}: the name of a file`, name);
    requireText(`${call}: the type of a file`, type);
    if (!(bytes instanceof Uint8Array))
      throw new TypeError(`${call}: the bytes of ${String(name)} must be a Uint8Array, such as await readFile(path).`);
  }
}

/**
 * Throws `TypeError` if a field is undefined. JSON omits it, and the call would do something else: sign a patient up
 * without the order, or record a receipt without a claim.
 */
export function requireNotUndefined<Given extends object>(
  call: string,
  given: Given,
  name: keyof Given & string,
): void {
  if (Object.hasOwn(given, name) && given[name] === undefined)
    throw new TypeError(`${call}: "${name}" is undefined. Leave the field out if there is no order.`);
}
