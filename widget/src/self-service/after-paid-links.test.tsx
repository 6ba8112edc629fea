import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import type { ErrorAdditions } from "bff/contract/errors";
import type { WidgetSession } from "bff/contract/widget-tokens";
import { describe, expect, it } from "vitest";
import { CHALLENGE_ACTION, sayFromBank, URL_OF_BANK } from "../../test/bank-page.ts";
import { createFakeService, type FakeService, type Step } from "../../test/fake-service.ts";
import { type OpenOptions, openCheckout, type Patient } from "../../test/open-checkout.tsx";
import { openedLink, problemWith, upcomingWith } from "../gallery/recorded-answers.ts";

const NOTHING = upcomingWith({ status: "none", amount: 0, commission: 0, day: null });
const ON_HOLD = upcomingWith({ status: "on_hold", amount: 0, commission: 0, day: null });
const IN_FLIGHT = upcomingWith({ status: "in_flight", day: null });
const CHARGED_NOW = upcomingWith({ status: "due_now", day: "2026-11-21", reason: "approved" });
const TOKEN = "0b7a4f0e-1111-4222-8333-444455556666";

function serviceFor(purpose: WidgetSession["purpose"], locale: WidgetSession["locale"] = "es-CL"): FakeService {
  return createFakeService({ purpose, locale, order: null, order_token: null, quote: null, parent_origins: [] });
}

/** Opens the page of a link and answers its code. */
async function opened(service: FakeService, options: OpenOptions = {}) {
  const { patient, user } = await openCheckout(service, options);
  await patient.press("Enviarme el código");
  await patient.fill("Código de 6 dígitos", "314159");
  await patient.press("Confirmar");
  return { patient, user };
}

async function typeCard(patient: Patient): Promise<void> {
  await patient.fill("Número de tarjeta", "4051885600446623");
  await patient.fill("Vencimiento", "12/34");
  await patient.fill("Código CVV", "123");
  await patient.fill("Nombre en la tarjeta", "CAMILA ROJAS");
}

/** The refusal of a used link whose order has this status. */
function used(collection_status: NonNullable<ErrorAdditions["collection_status"]>) {
  return { code: "widget_token_used", additions: { collection_status } } as const;
}

const INQUIRY = { widget_token: TOKEN, access: openedLink().access, inquire: true };

/** The patient presses before the next poll. */
const never = () => new Promise<void>(() => undefined);

const title = (name: string) => screen.findByRole("heading", { level: 1, name });
const alertText = async () => (await screen.findByRole("alert")).textContent;
const bodies = (service: FakeService, step: Step) => service.callsTo(step).map(({ body }) => body);

describe("early payment of the second charge", () => {
  it("shows the amount only after the code, charges once and confirms it", async () => {
    const service = serviceFor("pay_early");
    const { patient } = await openCheckout(service);
    expect(screen.queryByText(/35\.383/)).toBeNull();
    await patient.press("Enviarme el código");
    await patient.fill("Código de 6 dígitos", "314159");
    await patient.press("Confirmar");
    expect(await screen.findByText("5 de enero de 2027")).toBeTruthy();
    expect(screen.getByText("Fecha límite")).toBeTruthy();
    expect(screen.getByText("Visa ••6623")).toBeTruthy();
    await patient.press("Pagar $35.383 ahora");
    await title("Listo, tu pago está completo");
    expect(bodies(service, "linkPayment")).toEqual([
      { widget_token: TOKEN, access: openedLink().access, amount: 35_383 },
    ]);
  });

  it("shows why it was declined and can be retried", async () => {
    const service = serviceFor("pay_early");
    service.fail("linkPayment", { code: "card_declined", additions: { decline_reason: "insufficient_funds" } });
    const { patient } = await opened(service);
    await patient.press("Pagar $35.383 ahora");
    expect(await alertText()).toContain("cupo");
    expect(screen.getByText(/con un enlace para cambiar la tarjeta/)).toBeTruthy();
    await patient.press("Pagar $35.383 ahora");
    await title("Listo, tu pago está completo");
  });

  it("shows the first call's result on the next press after a lost answer", async () => {
    const service = serviceFor("pay_early");
    service.fail("linkPayment", { lost: "answer" }, used("collected"));
    const { patient } = await opened(service);
    await patient.press("Pagar $35.383 ahora");
    expect(await alertText()).toContain("No pudimos conectarnos");
    await patient.press("Pagar $35.383 ahora");
    await title("Ya está pagado");
  });

  it("shows the outcome by itself once it is known", async () => {
    const service = serviceFor("pay_early");
    service.answer("linkPayment", { status: "processing" }, { status: "processing" });
    const { patient } = await opened(service, { wait: async () => service.fail("linkPayment", used("collected")) });
    await patient.press("Pagar $35.383 ahora");
    // The charge has used the link, but it is the one that the patient has just pressed.
    await title("Listo, tu pago está completo");
    expect(bodies(service, "linkPayment").slice(1)).toEqual([INQUIRY, INQUIRY]);
  });

  it("only inquires, and never pays twice, while its outcome is unknown", async () => {
    const service = serviceFor("pay_early");
    const unknown = { status: "processing" };
    service.answer("linkPayment", unknown, unknown, unknown, unknown, { status: "collected" });
    const { patient } = await opened(service, { wait: never });
    await patient.press("Pagar $35.383 ahora");
    await title("Estamos revisando tu pago");
    service.fail("linkPayment", { lost: "call" });
    await patient.press("Revisar ahora");
    expect(await alertText()).toContain("No pudimos conectarnos");
    await patient.press("Revisar ahora");
    await title("Estamos revisando tu pago");
    await patient.press("Revisar ahora");
    await title("Listo, tu pago está completo");
    for (const body of bodies(service, "linkPayment").slice(1)) expect(body).toEqual(INQUIRY);
  });

  it("is offered again with the reason once an inquiry finds it declined", async () => {
    const service = serviceFor("pay_early");
    service.answer("linkPayment", { status: "processing" }, { status: "processing" });
    const declined = { code: "card_declined", additions: { decline_reason: "insufficient_funds" } } as const;
    const { patient } = await opened(service, { wait: async () => service.fail("linkPayment", declined) });
    await patient.press("Pagar $35.383 ahora");
    expect(await alertText()).toContain("cupo");
    expect(bodies(service, "linkPayment").slice(1)).toEqual([INQUIRY, INQUIRY]);
  });

  it.each(["rate_limited", "internal_error", "service_unavailable"] as const)(
    "offers no second payment while one is pending and an inquiry fails with %s",
    async (code) => {
      const service = serviceFor("pay_early");
      const unknown = { status: "processing" };
      service.answer("linkPayment", unknown, unknown);
      const { patient } = await opened(service, { wait: never });
      await patient.press("Pagar $35.383 ahora");
      await title("Estamos revisando tu pago");
      service.fail("linkPayment", { code });
      await patient.press("Revisar ahora");
      expect(await alertText()).not.toBe("");
      expect(screen.queryByRole("button", { name: /^Pagar/ })).toBeNull();
      expect(screen.getByRole("button", { name: "Revisar ahora" })).toBeTruthy();
    },
  );

  it.each([
    [{ status: "collected", amount: 0, due_at: null }, "Ya está pagado"],
    [{ status: "cancelled", amount: 0, due_at: null, upcoming: NOTHING }, "No queda nada por cobrar"],
    [{ status: "processing", amount: 0, upcoming: IN_FLIGHT }, "Estamos revisando tu pago"],
    // A refund that may still fail claims all of it.
    [{ amount: 0, upcoming: ON_HOLD }, "Por ahora no hay nada que hacer aquí"],
  ] as const)("offers no charge for an order in the state %j", async (due, heading) => {
    const service = serviceFor("pay_early");
    service.answer("linkVerify", openedLink(due));
    service.answer("linkPayment", { status: "processing" });
    await opened(service, { wait: never });
    await title(heading);
    expect(screen.queryByRole("button", { name: /^Pagar/ })).toBeNull();
  });

  it("charges nothing and says so if more is due than the page showed", async () => {
    const service = serviceFor("pay_early");
    service.answer("linkPayment", { status: "none" });
    const { patient } = await opened(service);
    await patient.press("Pagar $35.383 ahora");
    await title("No se hizo el cobro");
  });

  it("requests the code again when the earlier one is too old", async () => {
    const service = serviceFor("pay_early");
    service.fail("linkPayment", { code: "patient_code_required" });
    const { patient } = await opened(service);
    await patient.press("Pagar $35.383 ahora");
    await title("Paga el segundo cobro");
    expect(await alertText()).toContain("Confirma que eres tú");
  });

  it("offers no charge and says so once the patient has withdrawn the card's authorization", async () => {
    const service = serviceFor("pay_early");
    service.answer("linkVerify", { ...openedLink(), due: null });
    await opened(service);
    await title("Por ahora no hay nada que hacer aquí");
    expect(screen.getByText(/Retiraste la autorización para cobrar tu tarjeta/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Pagar/ })).toBeNull();
  });

  it("says that nothing is due when the order has been refunded meanwhile", async () => {
    const service = serviceFor("pay_early");
    service.fail("linkPayment", { code: "order_not_payable" });
    const { patient } = await opened(service);
    await patient.press("Pagar $35.383 ahora");
    await title("Por ahora no hay nada que hacer aquí");
  });
});

describe("a change of card followed by the charge at once", () => {
  it.each([
    ["es-CL", /Al presionar se cobran \$35\.383 ahora/, "Pagar $35.383 ahora"],
    ["en", /When you press, \$35\.383 is charged to this card now/, "Pay $35.383 now"],
  ] as const)(
    "announces the charge in %s, with the amount on the button, and sends the shown amount",
    async (locale, intro, button) => {
      const service = serviceFor("card_change", locale);
      service.answer("linkVerify", openedLink({ upcoming_with_given_card: CHARGED_NOW }));
      service.answer("linkCard", { status: "changed", due: openedLink({ upcoming: CHARGED_NOW }).due });
      const { patient } = await openCheckout(service);
      await patient.press(locale === "en" ? "Send me the code" : "Enviarme el código");
      await patient.fill(locale === "en" ? "6-digit code" : "Código de 6 dígitos", "314159");
      await patient.press(locale === "en" ? "Confirm" : "Confirmar");
      expect(await screen.findByText(intro)).toBeTruthy();
      expect(screen.getByRole("button", { name: button })).toBeTruthy();
      expect(document.body.textContent).not.toMatch(/no se cobra nada|Nothing is charged/i);
      if (locale === "en") return;
      await typeCard(patient);
      await patient.press(button);
      await title("Listo, cambiamos tu tarjeta");
      expect(screen.getByText("Estamos cobrando $35.383. Te avisaremos cómo termina.")).toBeTruthy();
      expect(bodies(service, "linkCard")[0]).toMatchObject({ shown: { amount: 35_383, on: "now" } });
    },
  );

  it("announces the charge before the processor's card page opens, and sends the shown amount", async () => {
    const service = createFakeService({
      purpose: "card_change",
      order: null,
      order_token: null,
      quote: null,
      parent_origins: [],
      card_entry: "page",
    });
    service.answer("linkVerify", openedLink({ upcoming_with_given_card: CHARGED_NOW }));
    const unknown = { status: "processing", due: openedLink().due };
    service.answer("cardPage", unknown, unknown);
    const { patient } = await opened(service, { wait: never });
    expect(await screen.findByText("Al inscribirla se cobran $35.383.")).toBeTruthy();
    await patient.press("Pagar $35.383 ahora");
    await title("Estamos revisando tu tarjeta");
    expect(bodies(service, "cardPage")[0]).toMatchObject({ shown: { amount: 35_383, on: "now" } });
  });

  it("names and sends the day of a later charge", async () => {
    const service = serviceFor("card_change");
    const later = upcomingWith({ status: "on_day", day: "2026-11-24", reason: "approved" });
    service.answer("linkVerify", openedLink({ upcoming_with_given_card: later }));
    const { patient } = await opened(service);
    expect(await screen.findByText(/Segundo cobro: \$35\.383, el 24 de noviembre de 2026/)).toBeTruthy();
    await typeCard(patient);
    await patient.press("Usar esta tarjeta");
    await title("Listo, cambiamos tu tarjeta");
    expect(bodies(service, "linkCard")[0]).toMatchObject({ shown: { amount: 35_383, on: "2026-11-24" } });
  });

  it("announces no other charge, and rules none out, while one is in flight", async () => {
    const service = serviceFor("card_change");
    const due = { status: "processing", amount: 0, upcoming: IN_FLIGHT, upcoming_with_given_card: IN_FLIGHT } as const;
    service.answer("linkVerify", openedLink(due));
    await opened(service);
    expect(await screen.findByText("Estamos cobrando $35.383. Te avisaremos cómo termina.")).toBeTruthy();
    expect(screen.getByText("Tu tarjeta es la ••6623.")).toBeTruthy();
  });
});

describe("a change of card", () => {
  it("sends the card only sealed, and shows the day of the charge", async () => {
    const service = serviceFor("card_change");
    const { patient } = await opened(service);
    await title("Tu nueva tarjeta");
    await typeCard(patient);
    await patient.press("Usar esta tarjeta");
    await title("Listo, cambiamos tu tarjeta");
    expect(screen.getByText(/5 de enero de 2027/)).toBeTruthy();
    const [sent] = bodies(service, "linkCard");
    expect(sent).toMatchObject({ widget_token: TOKEN, access: openedLink().access });
    expect(sent?.sealed_card).toMatch(/^[\w-]+(\.[\w-]+){4}$/);
    expect(JSON.stringify(service.calls)).not.toContain("4051885600446623");
  });

  it("says what may bring the charge forward, only while something can", async () => {
    for (const [status, words] of [
      ["by_day", /o antes si tu isapre aprueba el reembolso o si su acceso lleva 3 días bloqueado/],
      ["on_day", /^Segundo cobro: \$35\.383, el 5 de enero de 2027\.$/],
    ] as const) {
      const service = serviceFor("card_change");
      service.answer("linkCard", { status: "changed", due: openedLink({ upcoming: upcomingWith({ status }) }).due });
      const { patient } = await opened(service);
      await typeCard(patient);
      await patient.press("Usar esta tarjeta");
      await title("Listo, cambiamos tu tarjeta");
      expect(screen.getByText(words)).toBeTruthy();
      cleanup();
    }
  });

  it("empties the fields after a refused card, and keeps them after a lost call", async () => {
    const service = serviceFor("card_change");
    service.fail("linkCard", { lost: "call" }, { code: "card_expires_too_soon" });
    const { patient } = await opened(service);
    await typeCard(patient);
    await patient.press("Usar esta tarjeta");
    expect(await alertText()).toContain("No pudimos conectarnos");
    const number = () => screen.getByLabelText<HTMLInputElement>("Número de tarjeta", { exact: false });
    expect(number().value).toBe("4051 8856 0044 6623");
    await patient.press("Usar esta tarjeta");
    await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("vence"));
    await waitFor(() => expect(number().value).toBe(""));
  });

  it.each([
    [used("collected"), "Ya está pagado"],
    [used("cancelled"), "No queda nada por cobrar"],
    // The change itself has used up the link, and its answer was lost.
    [used("scheduled"), "Tu tarjeta ya se cambió"],
    [{ code: "order_not_payable" }, "Por ahora no hay nada que hacer aquí"],
  ] as const)("shows the order's state after the refusal %j", async (refusal, heading) => {
    const service = serviceFor("card_change");
    service.fail("linkCard", refusal);
    const { patient } = await opened(service);
    await typeCard(patient);
    await patient.press("Usar esta tarjeta");
    await title(heading);
  });
});

it("names the saved card, not the one just sent, when another was accepted before", async () => {
  const service = serviceFor("card_change");
  const { code, additions } = used("scheduled");
  service.fail("linkCard", { lost: "answer" }, { code, additions: { ...additions, card_last4: "6623" } });
  const { patient } = await opened(service);
  await typeCard(patient);
  await patient.press("Usar esta tarjeta");
  expect(await alertText()).toContain("No pudimos conectarnos");
  await patient.fill("Número de tarjeta", "5186059559590568");
  await patient.press("Usar esta tarjeta");
  await title("Tu tarjeta ya se cambió");
  expect(screen.getByText("Tu tarjeta es la ••6623.")).toBeTruthy();
  expect(screen.queryByText(/Listo, cambiamos/)).toBeNull();
});

describe("issuer challenge", () => {
  const ASKED = { status: "requires_action", action: CHALLENGE_ACTION } as const;
  const FAILED = { code: "card_declined", additions: { decline_reason: "authentication_failed" } } as const;
  const dialog = () => screen.findByRole("dialog", { name: "Confirma con tu banco" });
  const isClosed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

  /** Each link's button, call and answers. */
  const LINKS = {
    pay_early: {
      step: "linkPayment",
      button: "Pagar $35.383 ahora",
      done: "Listo, tu pago está completo",
      form: "Revisa y paga",
      asked: ASKED,
      open: { status: "processing" },
      changed: { status: "collected" },
    },
    card_change: {
      step: "linkCard",
      button: "Usar esta tarjeta",
      done: "Listo, cambiamos tu tarjeta",
      form: "Tu nueva tarjeta",
      asked: { ...ASKED, due: openedLink().due },
      open: { status: "processing", due: openedLink().due },
      changed: { status: "changed", due: openedLink().due },
    },
  } as const;

  async function challenged(purpose: keyof typeof LINKS, options: OpenOptions = {}) {
    const { step, button, asked } = LINKS[purpose];
    const service = serviceFor(purpose);
    service.answer(step, asked);
    const { patient } = await opened(service, options);
    if (purpose === "card_change") await typeCard(patient);
    await patient.press(button);
    expect(
      within(await dialog())
        .getByTitle("Confirma con tu banco")
        .getAttribute("src"),
    ).toBe(URL_OF_BANK);
    return { service, patient };
  }

  /** Every call but the first is an inquiry. */
  function expectOnlyAsked(service: FakeService, step: Step, times: number): void {
    const asked = bodies(service, step).slice(1);
    expect(asked).toHaveLength(times);
    for (const body of asked) expect(body).toEqual(INQUIRY);
  }

  describe.each(["pay_early", "card_change"] as const)("in a link of %s", (purpose) => {
    const { step, done, form, asked, open, changed } = LINKS[purpose];

    it("opens the bank's page in a dialog and shows the outcome", async () => {
      const { service } = await challenged(purpose);
      sayFromBank("aapd:challenge-ended");
      await title(done);
      await isClosed();
      expectOnlyAsked(service, step, 1);
    });

    it("is polled when it ends before the service knows the outcome", async () => {
      const { service } = await challenged(purpose);
      service.answer(step, asked);
      sayFromBank("aapd:challenge-ended");
      await title(done);
      await isClosed();
      expectOnlyAsked(service, step, 2);
    });

    it("charges nothing, says so and can be retried when the bank does not confirm", async () => {
      const { service, patient } = await challenged(purpose);
      service.fail(step, FAILED);
      sayFromBank("aapd:challenge-ended");
      expect(await alertText()).toContain("No se cobró nada");
      await title(form);
      await isClosed();
      // The service sends no mail about it, so the page must not promise one.
      expect(screen.queryByText(/Te enviamos un enlace/)).toBeNull();
      if (purpose === "card_change") {
        expect(screen.getByText(/Tu tarjeta es la ••6623/)).toBeTruthy();
        await typeCard(patient);
      }
      await patient.press(LINKS[purpose].button);
      await title(done);
    });

    it("continues by itself when confirmed in a tab", async () => {
      const { service } = await challenged(purpose);
      const tab = await screen.findByRole("link", { name: "Ábrela en otra pestaña" });
      expect(tab).toMatchObject({ href: URL_OF_BANK, target: "_blank", rel: "noopener noreferrer" });
      service.answer(step, asked, open, changed);
      tab.addEventListener("click", (event) => event.preventDefault());
      await act(async () => tab.click());
      await title(done);
      await isClosed();
      expectOnlyAsked(service, step, 3);
    });

    it("warns of a late confirmation when the patient leaves it, and shows one that arrives", async () => {
      let late = (): void => undefined;
      const isLate = new Promise<void>((resolve) => {
        late = resolve;
      });
      const { service, patient } = await challenged(purpose, { wait: () => isLate });
      service.answer(step, asked);
      await patient.press("Salir sin confirmar");
      expect(await screen.findByText(/Si ya confirmaste/)).toBeTruthy();
      await isClosed();
      await title(form);
      await act(async () => late());
      await title(done);
      expectOnlyAsked(service, step, 2);
    });

    it("offers an inquiry, and starts no other payment, while its outcome is unknown", async () => {
      const { service, patient } = await challenged(purpose, { wait: never });
      service.answer(step, open, open);
      sayFromBank("aapd:challenge-ended");
      await screen.findByRole("button", { name: "Revisar ahora" });
      await waitFor(() => expectOnlyAsked(service, step, 2));
      service.fail(step, { lost: "answer" });
      await patient.press("Revisar ahora");
      expect(await alertText()).toContain("No pudimos conectarnos");
      await patient.press("Revisar ahora");
      await title(done);
      expectOnlyAsked(service, step, 4);
    });

    it("is shown by itself when the issuer asks for it late", async () => {
      const service = serviceFor(purpose);
      service.answer(step, open, open, asked);
      const { patient } = await opened(service);
      if (purpose === "card_change") await typeCard(patient);
      await patient.press(LINKS[purpose].button);
      await dialog();
      sayFromBank("aapd:challenge-ended");
      await title(done);
      expectOnlyAsked(service, step, 3);
    });

    it("is shown as done when the confirmation itself used the link", async () => {
      const { service } = await challenged(purpose);
      const refusal = purpose === "pay_early" ? used("collected") : used("scheduled");
      service.fail(step, { ...refusal, additions: { ...refusal.additions, card_last4: "0115" } });
      sayFromBank("aapd:challenge-ended");
      await title(done);
      if (purpose === "card_change") expect(screen.getByText(/••0115/)).toBeTruthy();
    });
  });

  it("charges nothing and says so when the amount due has changed meanwhile", async () => {
    const { service } = await challenged("pay_early");
    service.answer("linkPayment", { status: "none" });
    sayFromBank("aapd:challenge-ended");
    await title("No se hizo el cobro");
  });
});

describe("a used or expired link", () => {
  it.each([
    ["widget_token_expired", "Este enlace venció"],
    ["widget_token_used", "Este enlace ya se usó"],
  ] as const)("mentions neither money nor the clinic's page (%s)", async (code, heading) => {
    const state = { problem: problemWith(code, { purpose: "card_change" }) };
    await openCheckout(serviceFor("card_change"), { state });
    await title(heading);
    const text = screen.getByRole("heading", { level: 1 }).parentElement?.textContent;
    expect(text).toMatch(/clínica\.$/);
    expect(text).not.toMatch(/cobr|pag[oa]|página de la clínica/i);
  });

  it("shows that it expired while it was open", async () => {
    const service = serviceFor("pay_early");
    service.fail("linkCode", { code: "widget_token_expired" });
    const { patient } = await openCheckout(service);
    await patient.press("Enviarme el código");
    expect(await alertText()).toContain("Este enlace venció");
  });
});

describe.each([
  ["pay_early", "linkPayment"],
  ["card_change", "linkCard"],
] as const)("used link of %s, nothing collected", (purpose, step) => {
  it.each([
    [used("failed"), "No pudimos hacer el cobro", /Una persona te contactará/],
    [{ code: "widget_token_used" }, "Este enlace ya se usó", /escríbele a tu clínica/],
  ] as const)(
    "is not shown as paid, and offers no button that would be refused (%j)",
    async (refusal, heading, text) => {
      const service = serviceFor(purpose);
      service.fail(step, refusal);
      const { patient } = await opened(service);
      if (purpose === "card_change") await typeCard(patient);
      await patient.press(purpose === "pay_early" ? "Pagar $35.383 ahora" : "Usar esta tarjeta");
      await title(heading);
      expect(screen.getByText(text)).toBeTruthy();
      expect(screen.queryByText("Ya está pagado")).toBeNull();
      expect(screen.queryByRole("button", { name: /^(Pagar|Usar)/ })).toBeNull();
    },
  );
});

describe("renewing access to the isapre", () => {
  it("requires password and consent, and sends the password sealed", async () => {
    const service = serviceFor("insurer_access");
    service.answer("linkVerify", openedLink(null));
    const { patient } = await opened(service);
    await title("El acceso a tu isapre");
    expect(screen.getByLabelText<HTMLSelectElement>("Tu isapre").value).toBe("colmena");
    await patient.press("Dar acceso");
    expect((await screen.findByRole("alert")).querySelectorAll("a")).toHaveLength(2);
    await patient.fill("Clave de tu isapre", "clave-secreta");
    await patient.tickAll();
    await patient.press("Dar acceso");
    await title("Listo, seguimos con tu reembolso");
    const [sent] = bodies(service, "linkAccess");
    expect(sent).toMatchObject({ insurer: "colmena", consents: [{ purpose: "insurer_access" }] });
    expect(JSON.stringify(service.calls)).not.toContain("clave-secreta");
  });

  it("says that access was given already when the link was used", async () => {
    const service = serviceFor("insurer_access");
    service.answer("linkVerify", openedLink(null));
    service.fail("linkAccess", { code: "widget_token_used" });
    const { patient } = await opened(service);
    await patient.fill("Clave de tu isapre", "clave-secreta");
    await patient.tickAll();
    await patient.press("Dar acceso");
    await title("Ya nos diste acceso");
  });
});

it.each([
  ["pay_early", "Pay what is left"],
  ["card_change", "Change your card"],
  ["insurer_access", "Give us access to your isapre"],
] as const)("the page of %s is available in English", async (purpose, name) => {
  await openCheckout(serviceFor(purpose, "en"));
  await title(name);
});
