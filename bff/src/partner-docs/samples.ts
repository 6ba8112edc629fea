import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../platform/program.ts";
import type { Deployment } from "./openapi.ts";
import { PACKAGES_VERSION } from "./packages.ts";

const folder = join(packageFolder, "docs/site");

const files = [
  "start-checkout.mjs",
  "submit-receipt.mjs",
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

/** The code samples that the pages show, by their files: they are run by tests. */
export type Samples = Readonly<Record<(typeof files)[number], string>>;

export function readSamples(): Samples {
  return Object.fromEntries(files.map((file) => [file, readSiteFile(file)])) as Samples;
}

/** The way through an integration for an assistant, with the addresses of this deployment. */
export function readSkill({ orderApiUrl, widgetHostUrl }: Pick<Deployment, "orderApiUrl" | "widgetHostUrl">): string {
  return readSiteFile("SKILL.md")
    .replaceAll("ORDER_API", orderApiUrl)
    .replaceAll("WIDGET_HOST", widgetHostUrl)
    .replaceAll("VERSION", PACKAGES_VERSION);
}

function readSiteFile(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
