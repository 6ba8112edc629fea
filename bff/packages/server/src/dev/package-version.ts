import { readFile } from "node:fs/promises";

/** The version of the package that this file came with: its manifest is the nearest one above that has its name. */
export async function packageVersion(): Promise<string> {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const text = await readFile(new URL("package.json", folder), "utf8").catch(() => "{}");
    const { name, version } = JSON.parse(text) as { name?: string; version?: string };
    if (name === "@aapd/server" && version !== undefined) return version;
    if (folder.pathname === "/") return "unknown";
  }
}
