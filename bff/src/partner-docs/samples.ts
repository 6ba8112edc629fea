import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../platform/package-folder.ts";

const folder = join(packageFolder, "docs/site");

const files = {
  startCheckout: "start-checkout.mjs",
  submitReceipt: "submit-receipt.mjs",
  verifyWebhook: "verify-webhook.mjs",
  receiveWebhook: "receive-webhook.mjs",
  page: "page.html",
  pageScript: "checkout.js",
  reactComponent: "aapd-checkout.jsx",
} as const;

/** The code samples that the pages show: real files that are run by tests. */
export type Samples = Readonly<Record<keyof typeof files, string>>;

export function readSamples(): Samples {
  return {
    startCheckout: readSiteFile(files.startCheckout),
    submitReceipt: readSiteFile(files.submitReceipt),
    verifyWebhook: readSiteFile(files.verifyWebhook),
    receiveWebhook: readSiteFile(files.receiveWebhook),
    page: readSiteFile(files.page),
    pageScript: readSiteFile(files.pageScript),
    reactComponent: readSiteFile(files.reactComponent),
  };
}

export function readStylesheet(): string {
  return readSiteFile("docs.css");
}

function readSiteFile(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
