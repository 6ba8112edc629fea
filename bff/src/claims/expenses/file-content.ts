import { fileTypeFromBuffer } from "file-type";
import { type FileType, fileTypeSchema } from "../../contract/expenses.ts";
import { isXml } from "./electronic-receipt.ts";

/** This many bytes at the beginning are enough to recognise the type of a file. */
export const TYPE_BYTES = 4_100;

/** Phones name the same kind of photo in several ways. */
const HEIC = /^image\/hei[cf](?:-sequence)?$/;

/** The type of a file by its first bytes, whatever its name says; `null` if it is none that is taken. */
export async function fileTypeIn(beginning: Uint8Array): Promise<FileType | null> {
  if (isXml(beginning)) return "application/xml";
  const mime = (await fileTypeFromBuffer(beginning))?.mime ?? "";
  const type = fileTypeSchema.safeParse(HEIC.test(mime) ? "image/heic" : mime);
  return type.success && type.data !== "application/xml" ? type.data : null;
}
