import { readFile } from "node:fs/promises";

/** The text of a file, or null when there is no such file; any other failure is thrown. */
export async function readTextFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
