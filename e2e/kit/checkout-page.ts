import type { Page } from "@playwright/test";
import { CheckoutFrame } from "./checkout-frame.ts";

/** The checkout opened as a page of its own, as a link in a mail opens it. */
export class CheckoutPage extends CheckoutFrame {
  constructor(page: Page) {
    super(page, page);
  }
}
