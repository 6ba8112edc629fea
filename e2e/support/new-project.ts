import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import { NewPartner } from "./new-partner.ts";
import { productUrls } from "./tenant.ts";

/* The projects of `aapd-dev new`, from an empty folder: written, installed, started and paid. */

/** Projects whose own test starts them and pays in Chromium. */
export const NODE_PROJECTS = ["express", "next", "react-vite"] as const;

/** Projects without npm: how to start and test them, and what must be installed. */
const OTHERS = {
  flask: {
    start: (port: string) => ["python3", "-m", "flask", "run", "--port", port],
    test: ["python3", "-m", "unittest"],
    getKeys: ["python3", "get_keys.py"],
    needs: ["python3", "-c", "import dotenv, flask"],
  },
  php: {
    start: (port: string) => ["php", "-S", `127.0.0.1:${port}`, "index.php"],
    test: ["php", "test.php"],
    getKeys: ["php", "get-keys.php"],
    needs: ["php", "--version"],
  },
} as const;
type OtherProject = keyof typeof OTHERS;

/** The projects for which this machine has the language and its packages. */
export const OTHER_PROJECTS = (Object.keys(OTHERS) as OtherProject[]).filter((name) => {
  const [program, ...args] = OTHERS[name].needs;
  return spawnSync(program, args).status === 0;
});

/** The address of this build's package, which has no released version. */
async function nextTarball(name: string): Promise<string> {
  const host = productUrls().widgetHostUrl;
  const index: Record<string, string> = await (await fetch(`${host}/packages/index.json`)).json();
  const file = Object.keys(index).find((one) => one.startsWith(`next/aapd-${name}-`));
  return `${host}/packages/${file}`;
}

/** Writes a project into an empty folder. */
async function begin(name: string, own: string): Promise<NewPartner> {
  const partner = await NewPartner.beginEmpty();
  const { orderApiUrl } = productUrls();
  await aapdDev(partner, "new", name, ".", "--api", orderApiUrl, "--origin", own);
  return partner;
}

async function aapdDev(partner: NewPartner, ...args: string[]): Promise<string> {
  return partner.run("npx", "-y", "--package", await nextTarball("server"), "--", "aapd-dev", ...args);
}

/** Installs the project's packages, ours as this build packs them. */
async function install(partner: NewPartner): Promise<void> {
  const file = join(partner.folder, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  for (const dependencies of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(dependencies))
      if (name.startsWith("@aapd/")) dependencies[name] = await nextTarball(name.slice("@aapd/".length));
  await writeFile(file, JSON.stringify(manifest));
  await partner.run("npm", "install", "--no-audit", "--no-fund");
}

/** Installs a Node project and runs its test, which pays in Chromium. */
export async function rehearseNodeProject(name: (typeof NODE_PROJECTS)[number], port: string): Promise<void> {
  const partner = await begin(name, `http://127.0.0.1:${port}`);
  try {
    await install(partner);
    const output = await partner.run("env", `PORT=${port}`, "npm", "test");
    expect(output).toContain("3 passed");
  } finally {
    await partner.end();
  }
}

/** Starts a project in another language, pays on its page, and runs its test with keys that it gets by itself. */
export async function rehearseOtherProject(page: Page, name: OtherProject, port: string): Promise<void> {
  const own = `http://127.0.0.1:${port}`;
  const partner = await begin(name, own);
  try {
    const { start, test, getKeys } = OTHERS[name];
    const [program, ...args] = start(port);
    partner.start(program ?? "", args, {});
    const listen = ["aapd-dev", "listen", "--forward-to", `${own}/webhooks`];
    partner.start("npx", ["-y", "--package", await nextTarball("server"), "--", ...listen], {});
    await expect
      .poll(() =>
        fetch(own).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    await payAtProject(page, own);
    const [getter, ...getterArgs] = getKeys;
    expect(await partner.run(getter, ...getterArgs)).toContain("The keys are in .env");
    const [tester, ...testArgs] = test;
    await partner.run(tester, ...testArgs);
  } finally {
    await partner.end();
  }
}

async function payAtProject(page: Page, own: string): Promise<void> {
  const patient = newPatient();
  await page.goto(own);
  await page.getByLabel("RUT").fill(patient.rut);
  await page.getByRole("button", { name: "Pagar" }).click();
  const checkout = new CheckoutFrame(page);
  await checkout.isOpen();
  await checkout.acceptSummary();
  await checkout.register(patient, "Colmena");
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.approved);
  await checkout.pay();
  await checkout.isDone();
  await expect(page.getByText("Pagada. Boleta enviada.")).toBeVisible({ timeout: 30_000 });
}
