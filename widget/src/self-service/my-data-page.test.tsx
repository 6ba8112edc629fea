import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createFakeService, type FakeService } from "../../test/fake-service.ts";
import { openCheckout } from "../../test/open-checkout.tsx";
import { keptCards, openedLink, patientData, SAVED } from "../gallery/recorded-answers.ts";

const OPENED = { widget_token: "0b7a4f0e-1111-4222-8333-444455556666", access: openedLink(null).access };

function service(locale: "es-CL" | "en" = "es-CL"): FakeService {
  return createFakeService({
    purpose: "my_data",
    locale,
    order: null,
    order_token: null,
    quote: null,
    parent_origins: [],
  });
}

async function opened(fake: FakeService) {
  const page = await openCheckout(fake);
  await page.patient.press("Enviarme el código");
  await page.patient.fill("Código de 6 dígitos", "314159");
  await page.patient.press("Confirmar");
  return page;
}

const title = (name: string) => screen.findByRole("heading", { level: 1, name });
const bodies = (fake: FakeService, step: Parameters<FakeService["callsTo"]>[0]) =>
  fake.callsTo(step).map(({ body }) => body);

afterEach(() => vi.restoreAllMocks());

describe("a patient's data", () => {
  it("are shown only after the code, and sealed values only by name", async () => {
    const fake = service();
    const page = await openCheckout(fake);
    expect(fake.callsTo("data")).toHaveLength(0);
    expect(screen.queryByText("camila.rojas@example.com")).toBeNull();
    await page.patient.press("Enviarme el código");
    await page.patient.fill("Código de 6 dígitos", "314159");
    await page.patient.press("Confirmar");
    expect(await screen.findByText("camila.rojas@example.com")).toBeTruthy();
    expect(screen.getByText("40.100.000-3")).toBeTruthy();
    expect(screen.getByText("Guardada, cifrada")).toBeTruthy();
    expect(screen.getByText("$35.383")).toBeTruthy();
    expect(bodies(fake, "data")).toEqual([OPENED]);
  });

  it("include each payment's contract as a file, with an error if it cannot be loaded", async () => {
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:here");
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    const fake = service();
    const { patient } = await opened(fake);
    fake.fail("file", { lost: "call" });
    const button = /^Descargar contrato: Clínica Los Aromos.*, AGENDA-20417 \(PDF\)$/;
    await patient.press(button);
    expect(await screen.findByRole("alert")).toBeTruthy();
    await patient.press(button);
    await waitFor(() => expect(clicked).toHaveBeenCalledTimes(1));
    expect(bodies(fake, "file")).toEqual([{ ...OPENED, order_token: patientData().orders[0]?.order_token }]);
  });

  it("can be downloaded completely, as JSON", async () => {
    const blobs: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      if (blob instanceof Blob) blobs.push(blob);
      return "blob:here";
    });
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    const { patient } = await opened(service());
    await patient.press("Descargar todo");
    expect(clicked).toHaveBeenCalledTimes(1);
    expect(JSON.parse((await blobs[0]?.text()) ?? "null")).toEqual(patientData());
  });

  it("can still be downloaded after Safari's confirmation", async () => {
    const revoked = vi.spyOn(URL, "revokeObjectURL").mockImplementation(() => undefined);
    vi.spyOn(URL, "createObjectURL").mockImplementation(() => "blob:here");
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    await opened(service());
    const button = await screen.findByRole("button", { name: "Descargar todo" });
    vi.useFakeTimers();
    try {
      act(() => button.click());
      vi.advanceTimersByTime(30_000);
      expect(revoked).not.toHaveBeenCalled();
      vi.advanceTimersByTime(30_000);
      expect(revoked).toHaveBeenCalledExactlyOnceWith("blob:here");
    } finally {
      vi.useRealTimers();
    }
  });

  it("can be requested again after a failed read", async () => {
    const fake = service();
    fake.fail("data", { lost: "answer" });
    const { patient } = await opened(fake);
    await title("No pudimos conectarnos");
    await patient.press("Reintentar");
    expect(await screen.findByText("camila.rojas@example.com")).toBeTruthy();
  });

  it("require a new code when the access of the first has expired", async () => {
    const fake = service();
    fake.fail("data", { code: "patient_code_required" });
    await opened(fake);
    expect(await screen.findByRole("button", { name: "Enviarme el código" })).toBeTruthy();
    expect(screen.getByRole("alert")).toBeTruthy();
  });

  it("are available in English", async () => {
    await openCheckout(service("en"));
    expect(screen.getByRole("heading", { level: 1, name: "Your data" })).toBeTruthy();
  });
});

describe("withdrawing a consent", () => {
  it("shows the consequences and the remaining debt before, and the effects after", async () => {
    const fake = service();
    fake.answer("withdraw", {
      withdrawn: "claim_mandate",
      effects: ["insurer_access_destroyed", "no_more_claims"],
      owed: 35_383,
    });
    const { patient } = await opened(fake);
    await patient.press("Retirar: Mandato de reembolso");
    await title("¿Retirar «Mandato de reembolso»?");
    expect(screen.getByText(/quedan \$35\.383 por pagar/)).toBeTruthy();
    expect(fake.callsTo("withdraw")).toHaveLength(0);
    await patient.press("Sí, retirar");
    const status = await screen.findByRole("status");
    expect(status.textContent).toContain("Borramos la clave de tu isapre.");
    expect(bodies(fake, "withdraw")).toEqual([{ ...OPENED, purpose: "claim_mandate" }]);
    await waitFor(() => expect(fake.callsTo("data")).toHaveLength(2));
  });

  it("shows that the list is stale, offers no second withdrawal, and reads it again on request", async () => {
    const fake = service();
    const WITHDRAWN = { withdrawn: "marketing", effects: ["no_more_offers"], owed: 35_383 };
    fake.answer("withdraw", WITHDRAWN);
    const { patient } = await opened(fake);
    await patient.press("Retirar: Novedades y ofertas");
    await title("¿Retirar «Novedades y ofertas»?");
    fake.fail("data", { lost: "call" });
    await patient.press("Sí, retirar");
    expect((await screen.findByRole("alert")).textContent).toContain("No pudimos conectarnos");
    expect(screen.getByRole("status").textContent).toContain("Listo, lo retiramos");
    expect(screen.queryByRole("button", { name: "Retirar: Novedades y ofertas" })).toBeNull();
    await patient.press("Reintentar");
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("is not offered for a contract", async () => {
    await opened(service());
    await screen.findByText("camila.rojas@example.com");
    expect(screen.queryByRole("button", { name: "Retirar: Términos y crédito" })).toBeNull();
  });

  it("warns before the withdrawal of the later charge that the debt stays, and then shows how to pay", async () => {
    const fake = service();
    fake.answer("withdraw", { withdrawn: "later_charge", effects: ["card_not_charged"], owed: 35_383 });
    const { patient } = await opened(fake);
    await patient.press("Retirar: Segundo cobro");
    expect(await screen.findByText(/No cobraremos más esta tarjeta, salvo un cobro en curso/)).toBeTruthy();
    expect(screen.getByText(/35[.]383/)).toBeTruthy();
    await patient.press("Sí, retirar");
    expect(await screen.findByText(/Si debes algo, un correo te dice cómo pagarlo/)).toBeTruthy();
  });

  it("shows why it was refused, with a way back", async () => {
    const fake = service();
    fake.fail("withdraw", { code: "consent_not_withdrawable" });
    const { patient } = await opened(fake);
    await patient.press("Retirar: Novedades y ofertas");
    await patient.press("Sí, retirar");
    expect((await screen.findByRole("alert")).textContent).toContain("Esta autorización no se puede retirar");
    await patient.press("No, dejarlo así");
    await title("Tus datos");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("saved cards", () => {
  it("are listed with their uses, removed after a confirmation, and shown as pending at the processor", async () => {
    const fake = service();
    const [visa, waiting] = keptCards();
    if (visa === undefined || waiting === undefined) throw new Error("two cards");
    const data = (cards: (typeof visa)[]) => patientData({ saved_cards: cards });
    fake.answer("data", data([visa, waiting]), data([{ ...visa, removing: true }]));
    const { patient } = await opened(fake);
    expect(await screen.findByText(/La usaste el 20 de noviembre de 2026 en Clínica Los Aromos del Sur/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Mastercard/ })).toBeNull();
    await patient.press("Borrar Visa ••6623");
    await title("¿Borrar Visa ••6623?");
    expect(screen.getByText(/un segundo cobro que tengas autorizado se hace igual/)).toBeTruthy();
    fake.fail("removeCard", { lost: "answer" });
    fake.answer("removeCard", { status: "removed" }, { status: "removed" });
    await patient.press("Sí, borrar la tarjeta");
    expect((await screen.findByRole("alert")).textContent).toContain("No pudimos conectarnos");
    await patient.press("Sí, borrar la tarjeta");
    expect((await screen.findByRole("status")).textContent).toContain("la tarjeta ya no se puede usar");
    expect(await screen.findByText(/Falta que el procesador de tarjetas confirme/)).toBeTruthy();
    const asked = { ...OPENED, saved_card: SAVED[0].id };
    expect(bodies(fake, "removeCard")).toEqual([asked, asked]);
  });

  it("are not mentioned when there are none", async () => {
    await opened(service());
    await title("Tus datos");
    expect(screen.queryByText("Tus tarjetas guardadas")).toBeNull();
  });
});

describe("erasure", () => {
  it("needs a confirmation, and lists the data that stay and why", async () => {
    const fake = service();
    fake.answer("erasure", {
      status: "waiting",
      kept: [
        { what: "contact", because: "charge_owed" },
        { what: "consents", because: "proof" },
      ],
    });
    const { patient } = await opened(fake);
    await patient.press("Borrar mis datos");
    await title("¿Borrar tus datos?");
    expect(fake.callsTo("erasure")).toHaveLength(0);
    await patient.press("Sí, borrar mis datos");
    await title("Ya borramos lo que se podía");
    expect(screen.getByText(/Tu nombre y tu contacto: mientras quede algo por cobrar/)).toBeTruthy();
    expect(bodies(fake, "erasure")).toEqual([OPENED]);
  });

  it("is confirmed once it is complete", async () => {
    const fake = service();
    fake.answer("erasure", { status: "erased", kept: [] });
    const { patient } = await opened(fake);
    await patient.press("Borrar mis datos");
    await patient.press("Sí, borrar mis datos");
    await title("Listo, borramos tus datos");
  });

  it.each([
    [{ code: "widget_token_used", additions: { erasure_status: "erased" } }, "Tus datos ya no están aquí"],
    [{ code: "widget_token_not_found" }, "Tus datos ya no están aquí"],
    [{ code: "widget_token_used", additions: { erasure_status: "waiting" } }, "Ya borramos lo que se podía"],
  ] as const)("shows its state on the next press after a lost answer (%j)", async (refusal, heading) => {
    const fake = service();
    fake.fail("erasure", { lost: "answer" }, refusal);
    const { patient } = await opened(fake);
    await patient.press("Borrar mis datos");
    await patient.press("Sí, borrar mis datos");
    expect((await screen.findByRole("alert")).textContent).toContain("No pudimos conectarnos");
    await patient.press("Sí, borrar mis datos");
    await title(heading);
  });

  it("is not shown as complete for a used link that reports no erasure", async () => {
    const fake = service();
    fake.fail("erasure", { code: "widget_token_used" });
    const { patient } = await opened(fake);
    await patient.press("Borrar mis datos");
    await patient.press("Sí, borrar mis datos");
    expect((await screen.findByRole("alert")).textContent).toContain("Este enlace ya se usó");
    expect(screen.queryByText(/borrad[oa]s/)).toBeNull();
  });

  it("is shown as pending and not offered again while one waits", async () => {
    const fake = service();
    fake.answer("data", patientData({ erasure: { status: "waiting", requested_at: "2026-11-21T15:00:00.000Z" } }));
    await opened(fake);
    expect(await screen.findByText(/Pediste borrar tus datos el 21 de noviembre de 2026/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Borrar mis datos" })).toBeNull();
  });
});

describe("request to a person", () => {
  const ask = async (fake: FakeService) => {
    const page = await opened(fake);
    await page.patient.press("Hacer una solicitud");
    await title("¿Qué nos pides?");
    return page;
  };

  it("is sent with its field, and shows the day by which it is answered", async () => {
    const fake = service();
    fake.answer("request", { kind: "rectification", answer_by: "2026-12-21T15:04:05.000Z" });
    const { patient } = await ask(fake);
    await userEvent.selectOptions(screen.getByLabelText("Solicitud"), "Mis apellidos");
    await patient.fill("Cuéntanos", " Rojas Fuenzalida ");
    await patient.press("Enviar la solicitud");
    await title("Recibimos tu solicitud");
    expect(screen.getByText("Te responderemos a tu correo a más tardar el 21 de diciembre de 2026.")).toBeTruthy();
    const request = { kind: "rectification", field: "last_name", words: "Rojas Fuenzalida" };
    expect(bodies(fake, "request")).toEqual([{ ...OPENED, request }]);
  });

  it("needs a choice and a text: names the missing one and sends nothing", async () => {
    const fake = service();
    const { patient } = await ask(fake);
    await patient.press("Enviar la solicitud");
    expect((await screen.findByRole("alert")).textContent).toContain("Elige qué nos pides.");
    expect(screen.getAllByText("Cuéntanos qué necesitas.")).not.toEqual([]);
    expect(screen.queryByText("Revisa este dato.")).toBeNull();
    expect(bodies(fake, "request")).toEqual([]);
  });
});
