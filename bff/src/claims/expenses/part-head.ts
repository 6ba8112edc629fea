/** The head of a part. Any text is parsed, so that no unusual spelling of a name loses a file. */
export interface PartHead {
  /** The field's name; `null` if it has none. */
  readonly name: string | null;
  /** The sender's name of the file; null if the part names none, and empty if the name is empty. */
  readonly fileName: string | null;
  /** For example `text/plain`, in lower case; null if none is named. */
  readonly contentType: string | null;
  readonly charset: string | null;
}

/** Reads the lines between a boundary and the empty line. */
export function readPartHead(bytes: Buffer): PartHead {
  // Each character is one byte. A line that begins with a blank continues the previous line (RFC 5322, 2.2.3).
  const lines = bytes
    .toString("latin1")
    .replaceAll(/\r\n(?=[ \t])/g, "")
    .split("\r\n");
  const headerValue = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1) ?? null;
  const disposition = parametersIn(headerValue("content-disposition") ?? "");
  const type = headerValue("content-type");
  const name = disposition.get("name");
  return {
    name: name === undefined ? null : textOf(name),
    fileName: fileNameIn(disposition),
    contentType: type === null ? null : (type.split(";", 1)[0] ?? "").trim().toLowerCase(),
    charset: type === null ? null : (parametersIn(type).get("charset")?.toLowerCase() ?? null),
  };
}

/**
 * The parameters after the first semicolon, by name; of equal names the first counts. A quote ends a value only before
 * a semicolon or the end, because some senders do not escape quotes. A backslash escapes only quotes and itself,
 * because some send whole paths.
 */
function parametersIn(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\["\\]|\\|"(?!\s*(?:;|$)))*)"?|([^;]*))/g;
  for (const [, name = "", quoted, token] of header.matchAll(pattern)) {
    const value = quoted === undefined ? (token ?? "").trim() : quoted.replaceAll(/\\(["\\])/g, "$1");
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
  }
  return found;
}

/**
 * `filename*` (RFC 5987) takes precedence over its pieces (RFC 2231, `filename*0`, `filename*1*`), and those over
 * `filename`.
 */
function fileNameIn(parameters: ReadonlyMap<string, string>): string | null {
  const extended = parameters.get("filename*");
  if (extended) return extendedText([{ value: extended, isExtended: true }]);
  const pieces = [...parameters].flatMap(([name, value]) => {
    const [, number, star] = /^filename\*(\d{1,3})(\*?)$/.exec(name) ?? [];
    return number === undefined ? [] : [{ number: Number(number), value, isExtended: star === "*" }];
  });
  if (pieces.length > 0) return extendedText(pieces.sort((a, b) => a.number - b.number));
  const plain = parameters.get("filename") ?? (extended === undefined ? null : "");
  // Browsers escape only quotes and line ends, in this way (HTML, multipart/form-data encoding algorithm).
  return plain === null ? null : textOf(plain.replaceAll(/%22/g, '"').replaceAll(/%0[da]/gi, " "));
}

interface Piece {
  readonly value: string;
  readonly isExtended: boolean;
}

/**
 * Pieces in the form `charset'language'percent-encoded`; the first names the charset. Invalid escapes stay unchanged.
 */
function extendedText(pieces: readonly Piece[]): string {
  const [, charset = "", rest] = /^([^']*)'[^']*'(.*)$/s.exec(pieces[0]?.value ?? "") ?? [];
  const values = pieces.map(({ value, isExtended }, index) => {
    const text = index === 0 && rest !== undefined ? rest : value;
    return isExtended
      ? text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
      : text;
  });
  return textOf(values.join(""), charset);
}

/** Decodes text with one byte per character: in its charset, otherwise as UTF-8 if valid, otherwise as Latin-1. */
function textOf(bytes: string, charset = ""): string {
  const buffer = Buffer.from(bytes, "latin1");
  const isLatin = /^(?:iso-8859-1|latin1|windows-1252)$/i.test(charset);
  try {
    return new TextDecoder(isLatin ? "windows-1252" : "utf-8", { fatal: !isLatin }).decode(buffer);
  } catch {
    return new TextDecoder("windows-1252").decode(buffer);
  }
}
