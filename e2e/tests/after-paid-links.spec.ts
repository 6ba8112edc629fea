import { CARDS } from "host-demo/scenarios/magic-values";
import { payByApi } from "../support/begin-by-api.ts";
import { long } from "../support/levels.ts";
import { startOwnClinic } from "../support/own-clinic.ts";
import { test as base, expect } from "../support/test.ts";

/* The failures of mails' links. The demo's scenarios cover their successes. */

const test = base.extend({
  baseURL: async ({ playwright: _playwright }, use) => {
    const clinic = await startOwnClinic();
    await use(clinic.origin);
    await clinic.stop();
  },
});

/** The insurer does not answer before the patient has paid everything. */
const NEVER_ANSWERED = "pago-anticipado";

test(
  "paying early without a network, then with a declined card, shows the reason each time and charges nothing",
  long("widget/src/self-service/after-paid-links.test.tsx", "shows why it was declined and can be retried"),
  async ({ clinic, baseURL, checkAccessibility }) => {
    test.slow();
    await clinic.openPurchase(await payByApi(baseURL ?? "", NEVER_ANSWERED, CARDS.laterDeclined));
    await clinic.isPaid();
    await clinic.hasClaim("filed");
    await clinic.passDays(43);

    const link = await clinic.openLink("haremos el segundo cobro");
    const { page } = link;
    const pay = page.getByRole("button", { name: /^Pagar .* ahora$/ });
    await expect(pay).toBeVisible();
    await checkAccessibility(page);

    await page.context().setOffline(true);
    await pay.click();
    await expect(link.alert).toBeFocused();
    await expect(link.alert).toContainText("No tienes conexión");
    await page.context().setOffline(false);

    await pay.click();
    await expect(link.alert).toContainText("Tu banco no aprobó la tarjeta");
    await expect(page.getByText("Te enviamos un correo con un enlace para cambiar la tarjeta")).toBeVisible();
    await checkAccessibility(page);
    await expect(clinic.collectionStatus).toHaveAttribute("data-status", "scheduled");

    // A reload requests the code again, because the opened state is stored nowhere.
    await page.reload();
    await expect(link.heading("Paga el segundo cobro")).toBeVisible();
    await expect(pay).toHaveCount(0);
    await checkAccessibility(page);
  },
);

test(
  "paying early with a card whose bank challenges charges nothing if rejected, and completes if confirmed",
  long(
    "widget/src/self-service/after-paid-links.test.tsx",
    "charges nothing, says so and can be retried when the bank does not confirm",
  ),
  async ({ clinic, baseURL, checkAccessibility }) => {
    test.slow();
    await clinic.openPurchase(await payByApi(baseURL ?? "", NEVER_ANSWERED, CARDS.challengeLater));
    await clinic.isPaid();
    await clinic.passDays(43);

    const link = await clinic.openLink("haremos el segundo cobro");
    const pay = link.page.getByRole("button", { name: /^Pagar .* ahora$/ });
    await pay.click();
    await expect(link.page.getByRole("dialog", { name: "Confirma con tu banco" })).toBeVisible();
    await checkAccessibility(link.page);
    await link.answerBank("No fui yo: rechazar");
    await expect(link.alert).toContainText("Tu banco no pudo confirmar que eres tú");
    await expect(clinic.collectionStatus).toHaveAttribute("data-status", "scheduled");

    await pay.click();
    await link.answerBank("Confirmar la compra");
    await expect(link.heading("Listo, tu pago está completo")).toBeVisible();
    await expect(clinic.collectionStatus).toHaveAttribute("data-status", "collected");
  },
);
