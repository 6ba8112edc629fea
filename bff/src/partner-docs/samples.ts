import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../platform/program.ts";
import type { Deployment } from "./openapi.ts";
import { type ServedPackages, tarballUrl } from "./packages.ts";

const folder = join(packageFolder, "docs/site");

const files = [
  "get_keys.py",
  "get-keys.php",
  "get-keys.sh",
  "start-checkout.mjs",
  "start_checkout.py",
  "start-checkout.php",
  "start-checkout.sh",
  "submit-receipt.mjs",
  "submit_receipt.py",
  "submit-receipt.php",
  "submit-receipt.sh",
  "verify-webhook.mjs",
  "verify_webhook.py",
  "verify-webhook.php",
  "verify_webhook.rb",
  "VerifyWebhook.java",
  "VerifyWebhook.cs",
  "verify_webhook.go",
  "receive-webhook.mjs",
  "check-receipt.mjs",
  "page.html",
  "checkout.js",
  "pay-later.jsx",
  "checkout-screen.jsx",
  "CheckoutView.swift",
  "CheckoutView.kt",
] as const;

/** The code samples shown on the pages, by file. Tests run them. */
export type Samples = Readonly<Record<(typeof files)[number], string>>;

export function readSamples(): Samples {
  return Object.fromEntries(files.map((file) => [file, readSiteFile(file)])) as Samples;
}

/** Clients in one file, as partners download them. */
export const CLIENTS = ["aapd.py", "Aapd.php"] as const;

export function readClient(name: (typeof CLIENTS)[number]): string {
  return readSiteFile(`clients/${name}`);
}

/** The pages' script, which adds buttons that copy samples and remembers the language of samples. */
export function readPageScript(): string {
  return readSiteFile("docs.js");
}

/** The way through an integration for an assistant, with the addresses of this deployment. */
export function readSkill(
  { orderApiUrl, widgetHostUrl }: Pick<Deployment, "orderApiUrl" | "widgetHostUrl">,
  packages: ServedPackages,
): string {
  return readSiteFile("SKILL.md")
    .replaceAll("SERVER_PACKAGE", tarballUrl("@aapd/server", widgetHostUrl, packages))
    .replaceAll("EMBED_PACKAGE", tarballUrl("@aapd/embed", widgetHostUrl, packages))
    .replaceAll("ORDER_API", orderApiUrl)
    .replaceAll("WIDGET_HOST", widgetHostUrl);
}

function readSiteFile(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
