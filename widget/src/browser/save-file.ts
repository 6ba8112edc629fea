import type { OrderFile } from "bff/contract/order-files";

/** Safari takes a while to ask whether to save the file, and reads it only then. */
const FILE_KEPT_MS = 40_000;

/** Saves a file that was made here, or that came with an answer. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FILE_KEPT_MS);
}

export function saveOrderFile({ base64, type, name }: OrderFile): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  saveFile(new Blob([bytes], { type }), name);
}
