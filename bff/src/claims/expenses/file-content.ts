import { fileTypeFromBuffer } from "file-type";
import { type FileType, fileTypeSchema } from "../../contract/expenses.ts";
import { isXml } from "./electronic-receipt.ts";

/** This many bytes at the beginning are enough to recognise the type of a file. */
export const TYPE_BYTES = 4_100;

/** Readers open a PDF whose header stands in its first 1,024 bytes, such as after a line break or the headers of a mail. */
const PDF_HEADER = "%PDF-";
const PDF_HEADER_WITHIN = 1_024;

/** Phones name the same kind of photo in several ways. */
const HEIC = /^image\/hei[cf](?:-sequence)?$/;

/** The type of a file by its first bytes, whatever its name says; `null` if it is none that is taken. */
export async function fileTypeIn(beginning: Uint8Array): Promise<FileType | null> {
  if (isXml(beginning)) return "application/xml";
  const detected = await fileTypeFromBuffer(beginning);
  if (detected === undefined && holdsPdfHeader(beginning)) return "application/pdf";
  const mime = detected?.mime ?? "";
  const type = fileTypeSchema.safeParse(HEIC.test(mime) ? "image/heic" : mime);
  return type.success && type.data !== "application/xml" ? type.data : null;
}

function holdsPdfHeader(beginning: Uint8Array): boolean {
  const { buffer, byteOffset, byteLength } = beginning;
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, PDF_HEADER_WITHIN)).includes(PDF_HEADER);
}
