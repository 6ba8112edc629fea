import { rm } from "node:fs/promises";
import { join } from "node:path";
import { NewPartner } from "./new-partner.ts";
import { freePort } from "./own-clinic.ts";
import { copyAppTo, type ReactApp, type ReactVersion } from "./react-app.ts";

/* The page of the Vite app, in Next.js from the registry, as a partner installs it. */

const NEXT = "next@16.4.6";
const REACT = { 18: "18.3.1", 19: "19.3.1" } as const;

/**
 * Serves the app with Next's development server. Next includes React 19 for the App Router, so React 18 only works with
 * the Pages Router.
 */
export async function startNextApp(version: ReactVersion): Promise<ReactApp> {
  const partner = await NewPartner.begin("next");
  try {
    await copyAppTo(partner.folder);
    if (version === 18) await rm(join(partner.folder, "app"), { recursive: true });
    const react = REACT[version];
    await partner.install("npm", ["embed", "react"], [NEXT, `react@${react}`, `react-dom@${react}`]);
    const port = await freePort();
    const args = ["node_modules/next/dist/bin/next", "dev", "--hostname", "127.0.0.1", "--port", String(port)];
    partner.start(process.execPath, args, { NEXT_TELEMETRY_DISABLED: "1" });
    return { origin: `http://127.0.0.1:${port}`, stop: () => partner.end() };
  } catch (error) {
    await partner.end();
    throw error;
  }
}
