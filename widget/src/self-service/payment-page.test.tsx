import { screen, waitFor, within } from "@testing-library/react";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { describe, expect, it, vi } from "vitest";
import { downloadFiles } from "../../test/download-files.ts";
import { createFakeService, type FakeService } from "../../test/fake-service.ts";
import { openCheckout } from "../../test/open-checkout.tsx";
import { openedLink, paymentPage } from "../gallery/recorded-answers.ts";

const WORDS_MAX = 160;

function service(locale: WidgetSession["locale"] = "es-CL"): FakeService {
  return createFakeService({
    purpose: "payment",
    locale,
    order: null,
    order_token: null,
    quote: null,
    parent_origins: [],
  });
}

async function opened(fake: FakeService) {
  const { patient } = await openCheckout(fake);
  await patient.press("Enviarme el código");
  await patient.fill("Código de 6 dígitos", "314159");
  await patient.press("Confirmar");
  await screen.findByRole("list", { name: "Cómo va" });
  return patient;
}

const main = () => screen.getByRole("main");
const steps = () => within(screen.getByRole("list", { name: "Cómo va" })).getAllByRole("listitem");

describe("payment page of a filed claim", () => {
  it("shows nothing of the payment before the code", async () => {
    await openCheckout(service());
    expect(main().textContent).not.toMatch(/\$|6623|Colmena/);
  });

  it("shows each step with its amount, day and reason", async () => {
    await opened(service());
    expect(steps().map(({ textContent }) => textContent?.replaceAll("\u00a0", " "))).toEqual([
      expect.stringMatching(/^Primer pago\$13\.786.*Visa ••6623, código 418207$/),
      "BoletaLa clínica la envió.",
      "Reembolso pedidoEn Colmena, el 21 de noviembre de 2026.",
      "Respuesta de tu isapreSuele tardar hasta 10 días hábiles.",
      expect.stringMatching(/^Segundo cobro\$35\.383A más tardar el 5 de enero de 2027, o antes si /),
    ]);
  });

  it("says which part of a refund was transferred, and which is still to come", async () => {
    const fake = service();
    const moved = { off_second_charge: 0, to_cards: 0, by_bank: 0, by_transfer: 46_083, transferred: 10_700 };
    const refund = { amount: 43_086, status: "succeeded", at: "2026-12-03T14:10:00.000Z", ...moved } as const;
    fake.answer("paymentPage", paymentPage({ refunds: [refund] }));
    await opened(fake);
    expect(main().textContent).toMatch(/Transferido\$10\.700Por transferir\$35\.383/);
  });

  it("has at most 160 words", async () => {
    await opened(service());
    const texts = document.createTreeWalker(main(), NodeFilter.SHOW_TEXT);
    const words: string[] = [];
    while (texts.nextNode() !== null) words.push(...(texts.currentNode.textContent ?? "").split(/\s+/).filter(Boolean));
    expect(words.length).toBeGreaterThan(50);
    expect(words.length).toBeLessThanOrEqual(WORDS_MAX);
  });

  it("pays early with the page's own access, and reads the payment again afterwards", async () => {
    const fake = service();
    const patient = await opened(fake);
    await patient.press("Pagar $35.383 ahora");
    await patient.press("Pagar $35.383 ahora");
    await screen.findByRole("heading", { level: 1, name: "Listo, tu pago está completo" });
    await patient.press("Volver a mi pago");
    await screen.findByRole("list", { name: "Cómo va" });
    await waitFor(() => expect(fake.callsTo("paymentPage")).toHaveLength(2));
    expect(fake.callsTo("linkPayment")).toHaveLength(1);
  });

  it("downloads the receipt, the contract and the calendar entry, and reports a failed download", async () => {
    const fake = service();
    const patient = await opened(fake);
    fake.fail("file", { lost: "call" });
    await patient.press("Descargar comprobante (PDF)");
    expect(await screen.findByRole("alert")).toBeTruthy();
    await downloadFiles(patient);
    const opening = { widget_token: "0b7a4f0e-1111-4222-8333-444455556666", access: openedLink(null).access };
    expect(fake.callsTo("file").map(({ path, body }) => ({ path, body }))).toEqual(
      ["receipt", "agreement", "calendar"].map((document) => ({
        path: "/api/spot/patient/payment/file",
        body: { ...opening, document, locale: "es-CL" },
      })),
    );
    vi.restoreAllMocks();
  });

  it("leads back to the code when it is over at a download", async () => {
    const fake = service();
    const patient = await opened(fake);
    fake.fail("file", { code: "patient_code_required" });
    await patient.press("Descargar contrato (PDF)");
    expect(await screen.findByRole("button", { name: "Enviarme el código" })).toBeTruthy();
  });

  it("asks for the link to the patient's data, and says that it was sent", async () => {
    const fake = service();
    const patient = await opened(fake);
    await patient.press("Ver mis datos");
    await screen.findByText("Te enviamos un enlace a tu correo para ver tus datos.");
    expect(fake.callsTo("dataLink").map(({ body }) => body)).toEqual([{ rut: "40100000-3" }]);
  });

  it("leads back to the code when that is over", async () => {
    const fake = service();
    fake.fail("paymentPage", { code: "patient_code_required" });
    const { patient } = await openCheckout(fake);
    await patient.press("Enviarme el código");
    await patient.fill("Código de 6 dígitos", "314159");
    await patient.press("Confirmar");
    expect(await screen.findByRole("alert")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Enviarme el código" })).toBeTruthy();
  });
});
