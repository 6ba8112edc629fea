import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, expect } from "@playwright/test";
import { claimUntilCollected } from "../support/claim-until-collected.ts";
import { NewPartner } from "../support/new-partner.ts";
import { NODE_PROJECTS, OTHER_PROJECTS, rehearseNodeProject, rehearseOtherProject } from "../support/new-project.ts";
import { freePort } from "../support/own-clinic.ts";
import {
  backEndFile,
  isUp,
  LANGUAGES,
  type Language,
  payAtPartner,
  startInLanguage,
} from "../support/partner-in-language.ts";
import { portsFrom, startProduct } from "../support/product.ts";
import { productUrls } from "../support/tenant.ts";
import { print } from "./rows.ts";

/*
 * From an empty folder to a paid order with a verified webhook and a receipt, following the guide. The approval of the
 * claim and the later charge are not timed.
 *
 *     pnpm bench integrate [--json]
 *
 * It measures the machine's part: installing, keys, the first event, and a patient who types without waiting. In Node
 * with the packages, the time until the first verified event is compared with npm's time for the packages that ours
 * need, in the same run. Seconds depend on the machine. Lines are those of the partner's own files.
 */

const FIRST_PORT = 5500;
/** The limit, in multiples of the time to install our packages' dependencies. Anything beyond 1 is our part. */
const LIMIT = 6;
const POLL_MS = 50;

interface Started {
  readonly partner: NewPartner;
  readonly own: string;
  readonly begun: number;
}

const since = (begun: number) => (performance.now() - begun) / 1_000;

/** A partner's folder with the files of their page and backend, and a separate port. */
async function begin(way: "packages" | "plain"): Promise<Started & { readonly port: string }> {
  const port = String(await freePort());
  const begun = performance.now();
  return { partner: await NewPartner.begin(way), port, own: `http://127.0.0.1:${port}`, begun };
}

async function saleOf(own: string): Promise<Record<string, string>> {
  return (await fetch(`${own}/sale`)).json();
}

/** A patient pays at the partner. Returns the order's hash. */
async function payAt(browser: Browser, own: string): Promise<string> {
  const page = await browser.newPage({ locale: "es-CL" });
  const hash = await payAtPartner(page, own);
  await page.close();
  return hash;
}

/** Lines of the files that a partner writes, without empty ones and comments. */
function linesOf(folder: string, files: readonly string[]): number {
  return files
    .flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"))
    .filter((line) => line.trim() !== "").length;
}

/** Seconds that npm takes for what @aapd/server needs, in an empty folder. */
function installOfDependencies(partner: NewPartner): number {
  const installed = join(partner.folder, "node_modules/@aapd/server/package.json");
  const { dependencies } = JSON.parse(readFileSync(installed, "utf8")) as { dependencies: Record<string, string> };
  const folder = mkdtempSync(join(tmpdir(), "aapd-bare-install-"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const wanted = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  const begun = performance.now();
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...wanted], { cwd: folder, stdio: "ignore" });
  const seconds = since(begun);
  rmSync(folder, { recursive: true });
  return seconds;
}

async function inNode(browser: Browser): Promise<boolean> {
  const { partner, port, own, begun } = await begin("packages");
  try {
    await partner.install("npm", ["server", "embed"]);
    await partner.run("npx", "aapd-dev", "sandbox", "--api", productUrls().orderApiUrl, "--origin", own);
    const variables: Record<string, string> = JSON.parse(await partner.run("npx", "aapd-dev", "env", "--json"));
    partner.start(process.execPath, ["server.js"], { ...variables, PORT: port });
    await isUp(own);
    partner.start("npx", ["aapd-dev", "listen", "--forward-to", `${own}/webhooks`, "--from-start"], {});
    await partner.run("npx", "aapd-dev", "trigger", "paid");
    await expect.poll(() => saleOf(own), { intervals: [POLL_MS] }).toMatchObject({ webhook: "order.paid" });
    const first = since(begun);
    const bare = installOfDependencies(partner);
    const again = performance.now();
    const hash = await payAt(browser, own);
    const paid = since(again);
    await claimUntilCollected({ client_secret: variables.CLIENT_SECRET ?? "" }, hash);
    const value = first / bare;
    print({ name: "integrate_first_webhook_ratio", value, unit: "installs of what it needs", limit: `≤ ${LIMIT}` });
    print({ name: "integrate_first_webhook_seconds", value: first, unit: "s, of 60", limit: null });
    print({ name: "integrate_node_seconds", value: first + paid, unit: "s", limit: null });
    const files = ["server.js", ...readdirSync(join(partner.folder, "public")).map((file) => `public/${file}`)];
    print({ name: "integrate_node_lines", value: linesOf(partner.folder, files), unit: "lines", limit: null });
    return value <= LIMIT;
  } finally {
    await partner.end();
  }
}

async function inAnother(browser: Browser, language: Language): Promise<void> {
  const { partner, port, own, begun } = await begin("plain");
  try {
    const { credentials } = await startInLanguage(partner, language, port);
    const hash = await payAt(browser, own);
    const name = `integrate_${language.toLowerCase()}`;
    print({ name: `${name}_seconds`, value: since(begun), unit: "s", limit: null });
    const lines = linesOf(partner.folder, [backEndFile(language), "index.html", "checkout.js"]);
    print({ name: `${name}_lines`, value: lines, unit: "lines", limit: null });
    await claimUntilCollected(credentials, hash);
  } finally {
    await partner.end();
  }
}

/** The projects of `aapd-dev new`: from an empty folder to a paid order and a passed test. */
async function inProjects(browser: Browser): Promise<void> {
  const time = async (name: string, rehearse: (port: string) => Promise<void>) => {
    const begun = performance.now();
    await rehearse(String(await freePort()));
    print({ name: `integrate_project_${name}_seconds`, value: since(begun), unit: "s", limit: null });
  };
  for (const name of NODE_PROJECTS) await time(name, (port) => rehearseNodeProject(name, port));
  for (const name of OTHER_PROJECTS) {
    const page = await browser.newPage({ locale: "es-CL" });
    await time(name, (port) => rehearseOtherProject(page, name, port));
    await page.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), "aapd-bench-"));
Object.assign(process.env, portsFrom(FIRST_PORT), { PRODUCT_DATA_DIR: folder });
const product = startProduct({});
const { CHROMIUM_PATH: executablePath } = process.env;
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  await product.says("Everything runs");
  const isWithin = await inNode(browser);
  for (const language of LANGUAGES) await inAnother(browser, language);
  await inProjects(browser);
  if (!isWithin) process.exitCode = 1;
} finally {
  await browser.close();
  product.interrupt();
  await product.ended;
  await rm(folder, { recursive: true, force: true });
}
