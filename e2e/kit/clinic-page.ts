import { expect, type Locator, type Page } from "@playwright/test";
import { CheckoutFrame } from "./checkout-frame.ts";
import type { Patient } from "./patients.ts";

/** The clinic's page of the demo: where the checkout is embedded, and where what happens is shown. */
export class ClinicPage {
  readonly page: Page;
  readonly checkout: CheckoutFrame;
  readonly orderStatus: Locator;
  readonly claimStatus: Locator;

  constructor(page: Page) {
    this.page = page;
    this.checkout = new CheckoutFrame(page);
    this.orderStatus = page.getByTestId("order-status");
    this.claimStatus = page.getByTestId("claim-status");
  }

  /** Opens the page for a patient and presses the button that brings the frame. */
  async startCheckout(patient: Patient, serviceId = "traumatologia"): Promise<void> {
    const query = new URLSearchParams({
      service: serviceId,
      rut: patient.rut,
      first_name: patient.firstName,
      last_name: patient.lastName,
      email: patient.email,
      phone: patient.phone,
    });
    await this.page.goto(`/?${query}`);
    await this.page.getByRole("button", { name: "Atiéndete ahora, paga después" }).click();
    await this.checkout.isOpen();
  }

  /** Waits until the clinic's back end knows the order as paid: from the signed webhook, not from the frame. */
  async isPaid(): Promise<void> {
    await expect(this.orderStatus).toHaveAttribute("data-status", "paid");
  }

  async hasClaim(status: string): Promise<void> {
    await expect(this.claimStatus).toHaveAttribute("data-status", status);
  }

  /** The lines of *What happened* of one kind. */
  happenings(kind: string): Locator {
    return this.page.locator(`li[data-kind="${kind}"]`);
  }
}
