import { spawnSync } from "node:child_process";
import { expect, type Page } from "@playwright/test";
import { CARDS } from "../kit/cards.ts";
import { CheckoutFrame } from "../kit/checkout-frame.ts";
import { newPatient } from "../kit/patients.ts";
import type { NewPartner } from "./new-partner.ts";
import { registerWebhook } from "./own-clinic.ts";
import { createTenant, productUrls, type Tenant } from "./tenant.ts";

/**
 * The command of a back end that is written from the guide alone. `0` stands for its port. The last word is its file.
 */
const PROGRAMS = {
  Python: ["python3", "server.py"],
  PHP: ["php", "-S", "127.0.0.1:0", "server.php"],
} as const;

export type Language = keyof typeof PROGRAMS;

/** The languages that are installed on this machine. */
export const LANGUAGES = (Object.keys(PROGRAMS) as Language[]).filter(
  (language) => spawnSync(PROGRAMS[language][0], ["--version"]).error === undefined,
);

export function backEndFile(language: Language): string {
  return PROGRAMS[language].at(-1) ?? "";
}

/** Starts the partner's backend with new credentials, and waits until it answers. */
export async function startInLanguage(partner: NewPartner, language: Language, port: string): Promise<Tenant> {
  const own = `http://127.0.0.1:${port}`;
  const tenant = await createTenant([own]);
  const { orderApiUrl, spotApiUrl, widgetHostUrl } = productUrls();
  const { client_secret, public_key } = tenant.credentials;
  const [program, ...args] = PROGRAMS[language];
  const words = args.map((word) => word.replace(/:0$/, `:${port}`));
  partner.start(program, words, {
    PORT: port,
    ORDER_API: orderApiUrl,
    SPOT_API: spotApiUrl,
    WIDGET_HOST: widgetHostUrl,
    CLIENT_SECRET: client_secret,
    PUBLIC_KEY: public_key,
    WEBHOOK_SECRET: await registerWebhook(tenant, `${own}/webhooks`),
  });
  await isUp(own);
  return tenant;
}

/** Waits until a partner's back end answers. */
export async function isUp(own: string): Promise<void> {
  await expect
    .poll(() =>
      fetch(`${own}/sale`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
}

/**
 * A new patient pays on the partner's page, until the partner has the event and has sent the receipt. Returns the
 * order's hash.
 */
export async function payAtPartner(page: Page, own: string): Promise<string> {
  const patient = newPatient();
  await page.goto(`${own}/?rut=${patient.rut}`);
  const checkout = new CheckoutFrame(page);
  await checkout.isOpen();
  await checkout.acceptSummary();
  await checkout.register(patient, "Colmena");
  await checkout.proveIdentity(patient.documentSerial);
  await checkout.addCard(CARDS.approved);
  await checkout.pay();
  await checkout.isDone();
  const sale = async (): Promise<Record<string, string>> => (await fetch(`${own}/sale`)).json();
  await expect.poll(sale).toMatchObject({ webhook: "order.paid", expense: expect.stringMatching(/./) });
  const { hash = "" } = await sale();
  return hash;
}
