import { expect, type Page } from "@playwright/test";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import type { ReactVersion } from "./react-app.ts";
import { createCheckoutUrl, createTenant } from "./tenant.ts";

/* The page of `react-app/` as seen by a patient and a developer, on any server. */

/** Opens the page on a path of its origin, with the addresses of two orders. */
export async function openSales(page: Page, origin: string, version: ReactVersion, path = "/"): Promise<void> {
  const tenant = await createTenant([origin]);
  const urls = [await createCheckoutUrl(tenant, newPatient()), await createCheckoutUrl(tenant, newPatient())];
  await page.goto(`${origin}${path}#${urls.map(encodeURIComponent).join(",")}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(new RegExp(`^React ${version}\\.`));
}

/** Shows one checkout, replaces it with another order's, removes it, and shows it again with the loaded kit. */
export async function playSales(page: Page): Promise<void> {
  const checkout = new CheckoutFrame(page);
  const frames = page.locator("iframe");
  await page.getByRole("button", { name: "Sale 1" }).click();
  await checkout.isOpen();
  await expect(frames).toHaveCount(1);
  const first = await frames.getAttribute("src");
  await page.getByRole("button", { name: "Sale 2" }).click();
  await expect(frames).not.toHaveAttribute("src", first ?? "");
  await checkout.isOpen();
  await expect(frames).toHaveCount(1);
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("region", { name: "Checkout" })).toBeEmpty();
  await page.getByRole("button", { name: "Sale 1" }).click();
  await checkout.isOpen();
  await checkout.acceptSummary();
  await expect(page.locator("output")).toHaveText("[]");
}
