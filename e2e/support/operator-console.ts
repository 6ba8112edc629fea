import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";

const AAPD = fileURLToPath(new URL("../../bff/dist/sandbox/aapd.js", import.meta.url));
const run = promisify(execFile);

/** Signs a page in to the operators' console with a link from the command line, while the service runs. */
export async function signInAsOperator(page: Page, name: string, role: "operator" | "finance" | "support" | "viewer") {
  const { OPERATIONS_PORT, PRODUCT_DATA_DIR = "" } = process.env;
  const args = [AAPD, "operator", "sign-in", "--name", name, "--role", role, "--json"];
  const env = { ...process.env, OPERATIONS_PORT, DATA_DIR: join(PRODUCT_DATA_DIR, "bff") };
  const { stdout } = await run(process.execPath, args, { env });
  const { url }: { url: string } = JSON.parse(stdout);
  await page.goto(url);
  await page.getByRole("button", { name: "Ingresar" }).click();
  await page.getByRole("heading", { level: 1, name: "Qué espera a una persona" }).waitFor();
}

export function consoleUrl(path: string): string {
  return `http://127.0.0.1:${process.env.OPERATIONS_PORT}${path}`;
}
