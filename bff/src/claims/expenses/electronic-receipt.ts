/*
 * The XML of an electronic receipt is data. An operator or insurer may open it in a browser, which would run scripts of
 * XHTML or SVG and fetch what a document type names. So a file with any of these is rejected.
 */

/**
 * Browsers read the characters that matter here as ASCII bytes in these encodings. Others (ISO-2022, UTF-7) can hide a
 * name.
 */
const READABLE_ENCODING = /^(?:utf-?8|iso-8859-1|us-ascii|windows-1252)$/i;
const ROOT =
  /^\s*(?:<\?xml\s[^>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?!(?:[\w.-]+:)?(?:html|svg)\b)[A-Za-z_][\w.:-]*[\s/>]/i;

/** Whether a file is XML, by its first bytes. */
export function isXml(beginning: Uint8Array): boolean {
  return ROOT.test(latin1(beginning).replace(/^\u00EF\u00BB\u00BF/, ""));
}

/** Longer than any of the checked constructs. */
const JUDGED_LENGTH = 400;
const JUDGED = /<!(?:doctype|entity)|<\?xml(?:-stylesheet)?|xmlns/gi;
const DECLARATION = /^<\?xml\s+version=["'][\d.]+["'](?:\s+encoding=["']([\w.-]{1,40})["'])?[^>]{0,100}\?>/;
/**
 * All namespaces with script elements belong to w3.org. A value with a character reference (`&#120;`) could spell one.
 */
const HARMLESS_NAMESPACE =
  /^xmlns(?::[\w.-]{1,64})?\s{0,8}=\s{0,8}(["'])(?!http:\/\/www\.w3\.org\/(?!2000\/09\/xmldsig#|2001\/XMLSchema))[^&<"']{0,255}\1/;

/**
 * Checks the XML of a receipt while it streams, in constant memory. Returns a function that takes the next bytes (null
 * at the end) and returns false once they contain anything but data. Each byte is read at most twice.
 */
export function watchReceipt(): (chunk: Uint8Array | null) => boolean {
  let waiting = "";
  return (chunk) => {
    const text = waiting + (chunk === null ? "" : latin1(chunk));
    // A construct may be cut by the chunk's end, so the last characters are checked again with the next bytes.
    const judgedUntil = chunk === null ? text.length : Math.max(0, text.length - JUDGED_LENGTH);
    for (const { 0: found, index } of text.matchAll(JUDGED)) {
      if (index >= judgedUntil) break;
      if (!isData(found.toLowerCase(), text.slice(index, index + JUDGED_LENGTH))) return false;
    }
    waiting = text.slice(judgedUntil);
    return true;
  };
}

/** Whether a whole file is the XML of a receipt. */
export function isReceipt(bytes: Uint8Array): boolean {
  const isData = watchReceipt();
  return isData(bytes) && isData(null);
}

function isData(construct: string, text: string): boolean {
  if (construct === "xmlns") return HARMLESS_NAMESPACE.test(text);
  if (construct !== "<?xml") return false;
  const [declaration, encoding = "utf-8"] = DECLARATION.exec(text) ?? [];
  return declaration !== undefined && READABLE_ENCODING.test(encoding);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
