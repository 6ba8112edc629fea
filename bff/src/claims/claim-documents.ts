import type { FileType } from "../contract/expenses.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { ClaimDocument } from "../gateways/insurer.ts";
import type { ReceivedFile } from "./expenses/receive-file.ts";
import { type PhotoType, type PictureConverter, UnreadablePicture } from "./picture-converter.ts";

interface DocumentDependencies {
  readonly storage: Pick<FileStorage, "get">;
  readonly pictures: PictureConverter;
}

/** The files of an expense in the formats that insurers accept. The storage keeps the originals. */
export async function claimDocuments(
  dependencies: DocumentDependencies,
  { providerId, files }: { readonly providerId: string; readonly files: readonly ReceivedFile[] },
): Promise<readonly ClaimDocument[] | "unreadable_picture"> {
  const documents: ClaimDocument[] = [];
  try {
    for (const file of files) documents.push(await documentOf(dependencies, providerId, file));
  } catch (error) {
    if (error instanceof UnreadablePicture) return "unreadable_picture";
    throw error;
  }
  return documents;
}

async function documentOf(
  { storage, pictures }: DocumentDependencies,
  providerId: string,
  { name, type, storageName }: ReceivedFile,
): Promise<ClaimDocument> {
  if (!isPhotoToConvert(type)) return { name, type, read: () => storage.get(storageName) };
  const jpeg = await pictures.toJpeg(await storage.get(storageName), { type, providerId });
  return { name: `${name.replace(/\.[^.]*$/, "")}.jpg`, type: "image/jpeg", read: async () => jpeg };
}

function isPhotoToConvert(type: FileType): type is FileType & PhotoType {
  return type === "image/heic" || type === "image/webp";
}
