import { fileTypeFromBuffer } from "file-type";
import { type FileType, fileTypeSchema } from "../../contract/expenses.ts";

/** This many bytes at the beginning are enough to recognise the type of a file. */
export const TYPE_BYTES = 4_100;

/** Phones name the same kind of photo in several ways. */
const HEIC = /^image\/hei[cf](?:-sequence)?$/;

/** The type of a file by its first bytes, whatever its name says; `null` if it is none that is taken. */
export async function fileTypeIn(beginning: Uint8Array): Promise<FileType | null> {
  if (isElectronicReceipt(beginning)) return "application/xml";
  const mime = (await fileTypeFromBuffer(beginning))?.mime ?? "";
  const type = fileTypeSchema.safeParse(HEIC.test(mime) ? "image/heic" : mime);
  return type.success && type.data !== "application/xml" ? type.data : null;
}

/** What a browser would run, or what makes a reader fetch or expand something else. */
const NOT_A_RECEIPT =
  /<!doctype|<!entity|<\?xml-stylesheet|<(?:[\w.-]+:)?(?:html|svg|stylesheet|transform)\b|\/(?:1999\/(?:xhtml|XSL)|2000\/svg)/i;

/** XML with nothing in its beginning but data: receipts of the tax authority have the root `DTE` or `EnvioBOLETA`. */
function isElectronicReceipt(beginning: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(beginning).replace(/^\u00EF\u00BB\u00BF/, "");
  return (
    /^\s*(?:<\?xml\s[^>]*\?>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<[A-Za-z_][\w.:-]*[\s/>]/.test(text) &&
    !NOT_A_RECEIPT.test(text)
  );
}
