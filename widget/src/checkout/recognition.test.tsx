import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { createFakeService, type FakeService } from "../../test/fake-service.ts";
import { openCheckout, partsFor } from "../../test/open-checkout.tsx";
import { knownSession, orderWith, SAVED, sessionWith, VISA } from "../gallery/recorded-answers.ts";

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const alert = () => screen.findByRole("alert");
const pressed = (name: RegExp) => screen.queryByRole("button", { name });

/** A clinic that lets its patients save their card, and a patient who need not sign up. */
const knowing = (overrides: Parameters<typeof sessionWith>[0] = {}) => createFakeService(knownSession(overrides));

const codeHeading = () => screen.findByRole("heading", { level: 2, name: "¿Ya has pagado así?" });
const cardCodeHeading = () => screen.findByRole("heading", { level: 2, name: "Código para Mastercard ••0568" });
const recognised = () => screen.findByRole("heading", { level: 2, name: "Confirmamos que eres tú" });
const codeField = () => screen.getByLabelText<HTMLInputElement>("Código de 6 dígitos");

/** The first screen of a patient who may be known, before they touch its field. */
async function atCode(service: FakeService = knowing()) {
  const opened = await openCheckout(service);
  await codeHeading();
  return { service, ...opened };
}

async function atRequestedCode(service: FakeService = knowing()) {
  const opened = await atCode(service);
  await opened.patient.requestRecognition();
  return opened;
}

describe("known patient", () => {
  it("pays on one screen with a code and one press next to the consents", async () => {
    const { service, patient } = await atCode();
    const title = await heading("Revisa y paga");
    const charges = screen.getByText("$35.383");
    expect([pressed(/^Pagar/), screen.queryByText(/^Paso/)]).toEqual([null, null]);
    await patient.answerRecognition();
    await recognised();
    expect(screen.getByText("Vence 12/34")).toBeTruthy();
    // The content above the code is not rendered again.
    expect([title.isConnected, charges.isConnected, screen.queryByText(/^Paso/)]).toEqual([true, true, null]);
    await patient.pay();
    await patient.isDone();
    expect([service.charges(), service.callsTo("identity"), service.callsTo("card")]).toEqual([1, [], []]);
    expect(service.callsTo("recognition").map(({ body }) => body)).toEqual([{}]);
  });

  it("gets the focus on the content that replaces the code, and later on the payment's error", async () => {
    const { patient } = await atCode();
    await patient.answerRecognition();
    expect(await recognised()).toBe(document.activeElement);
    await patient.press(/^Pagar/);
    expect(await alert()).toBe(document.activeElement);
  });

  it("returns to the same screen after a refused payment, with the same ticks", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    service.fail("payment", { code: "payment_in_progress" });
    await patient.pay();
    expect((await alert()).textContent).toContain("Hay un pago en curso");
    await recognised();
    expect(screen.getAllByRole<HTMLInputElement>("checkbox").every(({ checked }) => checked)).toBe(true);
    await patient.press(/^Pagar/);
    await patient.isDone();
  });

  it("can autofill the code, or paste it with spaces", async () => {
    const { service, user } = await atCode();
    const field = codeField();
    expect([field.getAttribute("autocomplete"), field.getAttribute("inputmode")]).toEqual(["one-time-code", "numeric"]);
    await user.click(field);
    await user.paste("123 456");
    await recognised();
    expect(service.callsTo("recognitionVerify").map(({ body }) => body)).toEqual([{ code: "123456" }]);
  });

  it("pays with another saved card after the code for that card", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await patient.press("Usar otra tarjeta");
    await patient.chooseCard(/Mastercard ••0568/);
    await cardCodeHeading();
    expect([pressed(/No soy yo/), pressed(/Seguir sin código/)]).toEqual([null, null]);
    await patient.answerRecognition();
    await recognised();
    expect(service.callsTo("recognition").map(({ body }) => body)).toEqual([{}, { stored_card: SAVED[1].id }]);
    expect(service.order().payment_method?.last4).toBe("0568");
    await patient.press("Usar otra tarjeta");
    await patient.chooseCard(/Mastercard ••0568/);
    await recognised();
    expect(service.callsTo("card")).toHaveLength(1);
    await patient.pay();
    await patient.isDone();
  });

  it("returns from the code for another saved card with all input, without a second code", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await patient.press("Usar otra tarjeta");
    await patient.chooseCard(/Mastercard ••0568/);
    await cardCodeHeading();
    await patient.press("Volver");
    await patient.chooseCard(/Mastercard ••0568/);
    await cardCodeHeading();
    expect(service.callsTo("recognition")).toHaveLength(2);
    await patient.press("Volver");
    await patient.chooseCard(/Visa ••6623/);
    await recognised();
    await patient.press("Usar otra tarjeta");
    await patient.addCard();
    await patient.pay();
    await patient.isDone();
  });

  it("waits for the code of another saved card if it is requested too soon, without the earlier code's text", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await patient.press("Usar otra tarjeta");
    service.fail("recognition", { code: "rate_limited", additions: { retry_after_seconds: 40 } });
    await patient.chooseCard(/Mastercard ••0568/);
    expect((await alert()).textContent).toContain("Podrás probar en 1 minuto");
    expect(screen.queryByText(/usa el último/)).toBeNull();
    await patient.press("Enviarme un código");
    await patient.answerRecognition();
    await recognised();
    expect(service.order().payment_method?.last4).toBe("0568");
  });

  it("is not offered a saved card again that was declined for good, also after another one was chosen", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await recognised();
    service.fail("payment", { code: "card_declined", additions: { decline_reason: "card_expired" } });
    await patient.pay();
    await heading("Usa otra tarjeta");
    expect(screen.queryByRole("radio", { name: /Visa ••6623/ })).toBeNull();
    await patient.chooseCard(/Mastercard ••0568/);
    await cardCodeHeading();
    await patient.answerRecognition();
    await recognised();
    await patient.press("Usar otra tarjeta");
    await screen.findByRole("radio", { name: /Mastercard ••0568/ });
    expect(screen.queryByRole("radio", { name: /Visa ••6623/ })).toBeNull();
  });

  it("confirms the code again when the report that the page was shown got lost", async () => {
    const service = knowing();
    service.fail("recognitionVerify", { code: "page_not_shown" });
    const { patient } = await atCode(service);
    await patient.answerRecognition();
    expect((await alert()).textContent).toContain("No pudimos revisar tu código");
    await patient.press("Confirmar");
    await recognised();
  });

  it("types a card when no saved one is usable, without giving the identity again", async () => {
    const service = knowing();
    const order = orderWith({ readiness: { identity_validated: true, payment_method_added: false } });
    service.answer("recognitionVerify", { status: "recognised", cards: [], order });
    const { patient } = await atCode(service);
    await patient.answerRecognition();
    await heading("Tu tarjeta");
    expect(screen.getByText("Confirmamos que eres tú")).toBeTruthy();
    expect(pressed(/Usar una tarjeta guardada/)).toBeNull();
  });

  it("gives the document again after an old match, and then the card", async () => {
    const service = knowing();
    const order = orderWith({ readiness: { identity_validated: false, payment_method_added: false } });
    service.answer("recognitionVerify", { status: "recognised", cards: [...SAVED], order });
    const { patient } = await atCode(service);
    await patient.answerRecognition();
    await patient.proveIdentity();
    await patient.chooseCard(/Visa ••6623/);
    await recognised();
  });

  it("types a card when the saved one has been removed", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await patient.press("Usar otra tarjeta");
    service.fail("card", { code: "stored_card_refused" });
    await patient.chooseCard(/Mastercard ••0568/);
    expect((await alert()).textContent).toContain("No podemos usar tu tarjeta guardada");
    expect(pressed(/Mastercard ••0568/)).toBeNull();
    await patient.addCard();
    await recognised();
  });

  it("gives the document when the recognition has expired at the press", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    service.change({ readiness: { identity_validated: false, payment_method_added: true } });
    service.fail("payment", { code: "processor_customer_identity_not_validated" });
    await patient.pay();
    await patient.proveIdentity();
    await recognised();
    await patient.press(/^Pagar/);
    await patient.isDone();
  });

  it("types a card when the order's card was removed before the press", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    service.change({ readiness: { identity_validated: true, payment_method_added: false }, payment_method: null });
    service.fail("payment", { code: "processor_payment_method_not_found" });
    await patient.pay();
    await heading("Tu tarjeta");
    await patient.addCard();
    await recognised();
  });
});

describe("ordinary steps without a code", () => {
  it("are open after «Seguir sin código», which requests no code, with a way back", async () => {
    const { service, patient } = await atCode();
    await patient.press("Seguir sin código");
    await heading("Confirma tu identidad");
    await patient.press("Volver");
    await codeHeading();
    await patient.press("Seguir sin código");
    await patient.proveIdentity();
    await heading("Tu tarjeta");
    expect(pressed(/Usar una tarjeta guardada/)).not.toBeNull();
    await patient.addCard();
    await patient.pay();
    await patient.isDone();
    expect(service.callsTo("recognition")).toEqual([]);
    const given = service.callsTo("payment").flatMap(({ body }) => body.consents as { purpose: string }[]);
    expect(given.map(({ purpose }) => purpose)).toContain("later_charge");
  });

  it("require document and card after «No soy yo»", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await recognised();
    await patient.press("No soy yo");
    await heading("Confirma tu identidad");
    await patient.press("Volver");
    // The code is not offered again.
    await patient.acceptSummary();
    expect(service.callsTo("recognitionDisown").map(({ body }) => body)).toEqual([{}]);
    await patient.proveIdentity();
    await heading("Tu tarjeta");
    expect(pressed(/Usar una tarjeta guardada|Mastercard/)).toBeNull();
    await patient.addCard();
    expect(pressed(/No soy yo/)).toBeNull();
    await patient.pay();
    await patient.isDone();
    expect(service.callsTo("recognition")).toHaveLength(1);
  });

  it("do not start when the call of «No soy yo» fails", async () => {
    const { service, patient } = await atCode();
    await patient.answerRecognition();
    await recognised();
    service.fail("recognitionDisown", { code: "payment_in_progress" });
    await patient.press("No soy yo");
    await alert();
    expect(service.charges()).toBe(0);
  });

  it("accept a late code on the card's step", async () => {
    const { patient } = await atCode();
    await patient.press("Seguir sin código");
    await patient.proveIdentity();
    await patient.press("Usar una tarjeta guardada");
    await codeHeading();
    await patient.answerRecognition();
    await recognised();
  });

  it.each([
    ["recovery_code_invalid", { attempts_left: 2 }, "El código no es correcto"],
    ["recovery_code_invalid", { attempts_left: 0 }, "El código no es correcto"],
    ["recovery_code_expired", {}, "El código ya no sirve"],
    ["service_unavailable", {}, ""],
    ["rate_limited", { retry_after_seconds: 30 }, "Demasiadas solicitudes"],
  ] as const)("are open after %s %o", async (code, additions, title) => {
    const service = knowing();
    service.fail("recognitionVerify", { code, additions });
    const { patient } = await atCode(service);
    await patient.answerRecognition();
    expect((await alert()).textContent).toContain(title);
    await patient.press("Seguir sin código");
    await heading("Confirma tu identidad");
  });

  it("are open after a failed request for a code, which can be repeated", async () => {
    const service = knowing();
    service.fail("recognition", { lost: "call" });
    const { patient } = await atRequestedCode(service);
    expect((await alert()).textContent).toContain("No pudimos conectarnos");
    await patient.press("Enviarme un código");
    await patient.answerRecognition();
    await recognised();
  });
});

describe("code of a known patient", () => {
  it("is requested once when its field gets the focus, not by opening the page", async () => {
    const { service, patient } = await atCode();
    expect(service.callsTo("recognition")).toEqual([]);
    expect(screen.getByText(/Toca el campo/)).toBeTruthy();
    await patient.requestRecognition();
    expect((await screen.findByText(/te llega al celular o correo/)).getAttribute("role")).toBe("status");
    await patient.press("Confirmar");
    await patient.requestRecognition();
    expect(service.callsTo("recognition")).toHaveLength(1);
  });

  it("is requested when the keyboard reaches its field", async () => {
    const { service, user } = await atCode();
    // The simulated browser also reaches links in a closed fold.
    for (let keys = 0; keys < 10 && document.activeElement !== codeField(); keys += 1) await user.tab();
    await waitFor(() => expect(service.callsTo("recognition")).toHaveLength(1));
  });

  it("is requested once the scripts have loaded if the field had the focus before", async () => {
    const service = knowing();
    const { loadSteps } = partsFor(service);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const { patient } = await openCheckout(service, {
      parts: { loadSteps: async (visit) => arrived.then(() => loadSteps(visit)) },
    });
    await patient.answerRecognition();
    expect(service.callsTo("recognition")).toEqual([]);
    arrive();
    await recognised();
    expect(service.callsTo("recognition")).toHaveLength(1);
  });

  it("shows an error once, at its field, which keeps the focus with the code selected", async () => {
    const service = knowing();
    service.fail("recognitionVerify", { code: "recovery_code_invalid", additions: { attempts_left: 2 } });
    const { patient } = await atCode(service);
    await patient.answerRecognition("111111");
    const message = await alert();
    expect(message.textContent).toBe("El código no es correcto. Revísalo y escríbelo otra vez. Te quedan 2 intentos.");
    expect([screen.getAllByRole("alert"), screen.queryByText(/Revisa este dato/)]).toMatchObject([{ length: 1 }, null]);
    const field = codeField();
    expect([field, field.selectionStart, field.selectionEnd]).toEqual([document.activeElement, 0, 6]);
    expect([field.getAttribute("aria-invalid"), field.getAttribute("aria-describedby")]).toEqual(["true", message.id]);
  });

  it.each([
    ["", "Ingresa el código."],
    ["1234", "El código tiene 6 dígitos."],
  ])("is not sent when it is «%s»", async (text, fault) => {
    const { service, patient } = await atRequestedCode();
    if (text !== "") await patient.answerRecognition(text);
    await patient.press("Confirmar");
    expect((await alert()).textContent).toBe(fault);
    expect(service.callsTo("recognitionVerify")).toEqual([]);
  });

  it("never waits longer than the pause, even if the page's clock is behind", async () => {
    const service = knowing();
    const at = new Date(Date.parse(service.session().server_time) + 62_000).toISOString();
    service.answer("recognition", { expires_at: at, resend_after: at });
    await atRequestedCode(service);
    await screen.findByText("Podrás pedir otro código en 60 s");
  });

  it("submits itself once; a corrected code needs a press", async () => {
    const service = knowing();
    service.fail("recognitionVerify", { code: "recovery_code_invalid", additions: { attempts_left: 4 } });
    const { patient } = await atCode(service);
    await patient.answerRecognition("111111");
    await alert();
    await patient.answerRecognition("123456");
    expect(service.callsTo("recognitionVerify")).toHaveLength(1);
    await patient.press("Confirmar");
    await recognised();
  });

  it("submits itself with the service's answer when typed before it", async () => {
    const service = knowing();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const fetch: typeof service.fetch = async (input, init) => {
      const response = await service.fetch(input, init);
      if (service.callsTo("recognition").length === 1) await answered;
      return response;
    };
    const { patient } = await atCode({ ...service, fetch });
    await patient.answerRecognition();
    expect(service.callsTo("recognitionVerify")).toEqual([]);
    answer();
    await recognised();
    expect(service.callsTo("recognitionVerify").map(({ body }) => body)).toEqual([{ code: "123456" }]);
  });

  it("submits itself after an unanswered request, and an earlier code is not sent for the next", async () => {
    const service = knowing();
    service.fail("recognition", { lost: "answer" });
    service.fail("recognitionVerify", { code: "recovery_code_invalid", additions: { attempts_left: 4 } });
    const { patient } = await atRequestedCode(service);
    await alert();
    await patient.answerRecognition("111111");
    await waitFor(() => expect(service.callsTo("recognitionVerify")).toHaveLength(1));
    await patient.press("Enviarme un código");
    await screen.findByText(/otro código en/);
    expect(service.callsTo("recognitionVerify")).toHaveLength(1);
    await patient.answerRecognition("123456");
    await recognised();
  });

  it.each([
    ["a call that was lost", { lost: "call" }],
    ["a code that is over", { code: "recovery_code_expired" }],
    ["a wrong code", { code: "recovery_code_invalid", additions: { attempts_left: 4 } }],
  ] as const)("does not submit itself again after %s", async (_what, fault) => {
    const service = knowing();
    service.fail("recognitionVerify", fault);
    const { patient, user } = await atRequestedCode(service);
    await screen.findByText(/Se confirma con el último dígito/);
    await patient.answerRecognition("111111");
    await alert();
    await patient.answerRecognition("222222");
    await user.tab();
    expect(screen.queryByText(/último dígito/)).toBeNull();
    expect(service.callsTo("recognitionVerify").filter(({ body }) => body.code === "222222")).toEqual([]);
  });

  it("counts when another page requested it, and is not requested again on the way back", async () => {
    const service = knowing();
    service.fail("recognition", { code: "rate_limited", additions: { retry_after_seconds: 40 } });
    const { patient } = await atRequestedCode(service);
    await screen.findByText(/usa el último que te llegó/);
    expect(screen.getByText("Podrás pedir otro código en 40 s")).toBeTruthy();
    await patient.press("Seguir sin código");
    await patient.press("Volver");
    await patient.answerRecognition();
    await recognised();
    expect(service.callsTo("recognition")).toHaveLength(1);
  });

  it("is not announced when none was created, and the input stays", async () => {
    const service = knowing();
    const past = "2026-11-21T15:10:00.000Z";
    service.answer("recognition", { expires_at: past, resend_after: past });
    const { patient } = await atCode(service);
    await patient.answerRecognition("1234");
    service.fail("recognition", { code: "rate_limited", additions: { retry_after_seconds: 3_300 } });
    await patient.press("Enviar otro código");
    expect((await alert()).textContent).toContain("Podrás probar en 55 minutos");
    expect(screen.queryByText(/te llega por correo|usa el último/)).toBeNull();
    expect(codeField().value).toBe("1234");
  });

  it("is not announced when none was requested a moment ago", async () => {
    const service = knowing();
    service.fail("recognition", { code: "rate_limited", additions: { retry_after_seconds: 3_300 } });
    await atRequestedCode(service);
    expect((await alert()).textContent).toContain("Podrás probar en 55 minutos");
    expect(screen.queryByText(/usa el último/)).toBeNull();
  });

  it("is not offered without saved cards at the clinic, in a sign-up, or when all steps are done", async () => {
    const done = orderWith({
      readiness: { identity_validated: true, payment_method_added: true },
      payment_method: VISA,
    });
    const rows = [
      [sessionWith({ event_type: "SPOT_USER_SUBSCRIBED" }), "Confirma tu identidad"],
      [knownSession({ event_type: "SPOT_USER_NEW" }), "Tus datos"],
      [knownSession({ order: done }), "Revisa y paga"],
    ] as const;
    for (const [session, next] of rows) {
      const service = createFakeService(session);
      const { patient, view } = await openCheckout(service);
      if (next !== "Revisa y paga") await patient.acceptSummary();
      await heading(next);
      expect(screen.queryByLabelText("Código de 6 dígitos")).toBeNull();
      expect(service.callsTo("recognition")).toEqual([]);
      view.unmount();
    }
  });
});

describe("card step of a known patient", () => {
  const identified = { identity_validated: true, payment_method_added: false };
  const box = () => screen.findByRole<HTMLInputElement>("checkbox", { name: /Guardar tarjeta/ });

  it("offers to save the card, unticked, and sends the choice for that card only", async () => {
    const service = knowing({ order: orderWith({ readiness: identified }) });
    const { patient, user } = await openCheckout(service);
    expect((await box()).checked).toBe(false);
    await user.click(await box());
    service.fail("card", { code: "card_declined", additions: { decline_reason: "declined" } });
    await patient.addCard();
    await alert();
    expect((await box()).checked).toBe(false);
    await patient.addCard();
    await heading("Revisa y paga");
    const purposes = service.callsTo("card").map(({ body }) => body.consents);
    expect(purposes).toMatchObject([[{ purpose: "saved_card", text_version: "2026-11" }], undefined]);
  });

  it("offers no saving when the clinic saves no cards", async () => {
    await openCheckout(
      createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", order: orderWith({ readiness: identified }) }),
    );
    await heading("Tu tarjeta");
    expect(screen.queryByRole("checkbox")).toBeNull();
  });
});
