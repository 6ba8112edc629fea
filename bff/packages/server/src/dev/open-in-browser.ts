import { spawn } from "node:child_process";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Asks the desktop to open an address; without a desktop nothing happens, and the address has been printed. */
export function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  opener.on("error", () => undefined);
  opener.unref();
}
