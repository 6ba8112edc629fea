import { readFile } from "node:fs/promises";

/** The version of the package that contains this file, from the nearest manifest above with the package's name. */
export async function packageVersion(): Promise<string> {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const text = await readFile(new URL("package.json", folder), "utf8").catch(() => "{}");
    const { name, version } = JSON.parse(text) as { name?: string; version?: string };
    if (name === "@aapd/server" && version !== undefined) return version;
    if (folder.pathname === "/") return "unknown";
  }
}
