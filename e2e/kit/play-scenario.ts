import { expect } from "@playwright/test";
import { type Act, isSight, type Scenario, type Sight } from "host-demo/scenarios/scenario";
import type { CheckoutPage } from "./checkout-page.ts";
import type { ClinicPage } from "./clinic-page.ts";

/**
 * A credit under review, or a charge whose answer was lost, is resolved by inquiries after 10 s and again after 30 s.
 */
const SETTLED_WITHIN_MS = 60_000;

/** The patient that the clinic's page names. Address and telephone stay as filled in by the clinic. */
const SCENARIO_PATIENT = { firstName: "María José", lastName: "O'Ryan Díaz" };

async function perform(clinic: ClinicPage, act: Act): Promise<void> {
  const { checkout } = clinic;
  switch (act.do) {
    case "accept_summary":
      return checkout.acceptSummary();
    case "register":
      return checkout.register(SCENARIO_PATIENT, act.insurer, act.portalPassword);
    case "prove_identity":
      return checkout.proveIdentity(act.serial);
    case "add_card":
      return checkout.addCard(act.card, act.keep);
    case "change_card":
      return checkout.changeCard(act.card);
    case "pay":
      return checkout.pay();
    case "come_back":
      return clinic.comeBack();
    case "answer_code":
      await checkout.requestRecognition();
      return checkout.answerRecognition(await clinic.recognitionCode());
    case "answer_bank":
      return checkout.answerBank(act.button);
    case "confirm_card":
      return checkout.answerCardPage(act.button);
    case "pass_days":
      return clinic.passDays(act.days);
    case "refund":
      return clinic.refund(act.amountClp);
    case "give_access_by_mail":
      return byMail(clinic, "No podemos entrar a tu isapre", (page) => page.giveAccess(act.portalPassword));
    case "change_card_by_mail":
      return byMail(clinic, "No pudimos hacer el segundo cobro", (page) => page.useCard(act.card, act.button));
    case "pay_rest_by_mail":
      return byMail(clinic, "haremos el segundo cobro", (page) => page.payRest());
  }
}

/**
 * Acts on the page behind a mail's link. The link works once. Opened again, it only says that it was used, because
 * mails are forwarded and a used link has no code to request.
 */
async function byMail(clinic: ClinicPage, subject: string, act: (page: CheckoutPage) => Promise<void>): Promise<void> {
  const page = await clinic.openLink(subject);
  await act(page);
  await page.page.reload();
  await expect(page.heading("Este enlace ya se usó")).toBeVisible();
  await expect(page.page.getByRole("button", { name: "Enviarme el código" })).toHaveCount(0);
  // Must be neither visible nor in the page's source: a RUT, a card's last digits, an amount.
  expect(await page.page.content()).not.toMatch(/\d{6,8}-[\dK]|\d\.\d{3}\.\d{3}-[\dK]|last4|captured_amount|\$\d/);
  await page.close();
}

async function look(clinic: ClinicPage, sight: Sight): Promise<void> {
  switch (sight.see) {
    case "screen":
      return expect(clinic.checkout.heading(sight.heading)).toBeVisible({ timeout: SETTLED_WITHIN_MS });
    case "alert":
      return expect(clinic.checkout.alert).toContainText(sight.words);
    case "order":
      return expect(clinic.orderStatus).toHaveAttribute("data-status", sight.status);
    case "claim":
      return clinic.hasClaim(sight.status);
    case "collection":
      await expect(clinic.collectionStatus).toHaveAttribute("data-status", sight.status);
      if (sight.reason !== undefined) {
        await expect(clinic.collectionStatus).toHaveAttribute("data-reason", sight.reason);
      }
      return;
    case "notice":
      return expect(clinic.notice(sight.subject).first()).toBeAttached();
  }
}

/**
 * Plays steps of a scenario of the demo's catalogue as a person would: acts in the frame and on the outer page, and
 * expects the described results. `onStep` is called before each step.
 */
export async function playSteps(
  clinic: ClinicPage,
  steps: readonly (Act | Sight)[],
  onStep: (step: Act | Sight, play: () => Promise<void>) => Promise<void> = (_step, play) => play(),
): Promise<void> {
  for (const step of steps) {
    await onStep(step, () => (isSight(step) ? look(clinic, step) : perform(clinic, step)));
  }
}

/** Opens a prefilled scenario on the clinic's page, and plays all its steps. */
export async function playScenario(clinic: ClinicPage, scenario: Scenario): Promise<void> {
  await clinic.openScenario(scenario.id);
  await playSteps(clinic, scenario.steps);
}
