import { act, screen, waitFor, within } from "@testing-library/react";
import { compactDecrypt, exportJWK, generateKeyPair } from "jose";
import { describe, expect, it, vi } from "vitest";
import { CHALLENGE_ACTION, sayFromBank, URL_OF_BANK } from "../../test/bank-page.ts";
import { createFakeHistory } from "../../test/fake-history.ts";
import { createFakeHost } from "../../test/fake-host.ts";
import { createFakeService } from "../../test/fake-service.ts";
import { type OpenOptions, openCheckout, type Patient, partsFor } from "../../test/open-checkout.tsx";
import { orderWith, paidOrder, partlyReturnedOrder, sessionWith, VISA } from "../gallery/recorded-answers.ts";
import { QUESTIONS_UNTIL_STUCK } from "./payment-run.ts";

const heading = (name: string | RegExp) => screen.findByRole("heading", { level: 1, name });
const alert = () => screen.findByRole("alert");

/** Opens the identity step for a patient whom the service knows. */
async function knownPatientAtIdentity(service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" })) {
  const opened = await openCheckout(service);
  await opened.patient.acceptSummary();
  return { service, ...opened };
}

/** Opens the card step. */
async function patientAtCard() {
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
  });
  return { service, ...(await openCheckout(service)) };
}

/** A sealing key whose private part lets a test decrypt sealed data. */
async function sealingKey() {
  const { publicKey, privateKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
  const { n = "", e = "" } = await exportJWK(publicKey);
  return { privateKey, key: { kty: "RSA", kid: "test", alg: "RSA-OAEP-256", use: "enc", n, e } as const };
}

/** Opens the last step, with a card. */
async function patientAtReview(overrides: Parameters<typeof createFakeService>[0] = {}, options: OpenOptions = {}) {
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
    ...overrides,
  });
  return { service, ...(await openCheckout(service, options)) };
}

describe("the patient's way through a visit", () => {
  it("leads a new patient from the summary to the receipt and charges once", async () => {
    const service = createFakeService();
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await patient.register();
    await patient.addCard();
    await patient.pay();
    await patient.isDone();
    expect(service.charges()).toBe(1);
    expect(service.order().status).toBe("paid");
  });

  it.each([
    ["names the step that is missing for the claim", "insurer_access", 1, 0],
    ["says that there is nothing to do where nothing is missing", null, 0, 1],
  ] as const)("%s, and shows the last day to claim", async (_says, missing_step, asked, nothingToDo) => {
    await openCheckout(createFakeService({ order: paidOrder({ missing_step }) }));
    await heading("¡Listo! Tu pago está hecho");
    expect(screen.queryAllByText(/Falta un paso para tu reembolso/)).toHaveLength(asked);
    expect(screen.queryAllByText(/tú no haces nada/)).toHaveLength(nothingToDo);
    expect(screen.getByText(/Plazo: 20 de enero de 2027/)).toBeTruthy();
  });

  it("shows transfers and the bank's returns separately when no refund went to a card", async () => {
    const given = { transferred_amount: 10_700, bank_returned_amount: 5_000, returned_amount: 0 };
    await openCheckout(createFakeService({ order: { ...partlyReturnedOrder(), ...given } }));
    await heading("Pago con devolución parcial");
    expect(
      screen.getByText(/Te devolvemos \$10\.700 por transferencia.*Tu banco ya te había devuelto \$5\.000/),
    ).toBeTruthy();
  });

  describe("access to the isapre after the payment", () => {
    const access = async (service: ReturnType<typeof createFakeService>) => {
      const { patient } = await openCheckout(service);
      await heading("¡Listo! Tu pago está hecho");
      await patient.press("Dar mi clave ahora");
      await heading("El acceso a tu isapre");
      await patient.chooseInsurer();
      await patient.fill("Clave de tu isapre", "clave-secreta");
      await patient.tickAll();
      return patient;
    };
    const lacking = () => createFakeService({ order: paidOrder({ missing_step: "insurer_access" }) });

    it("is given with the visit's token and a sealed password, after which nothing is missing", async () => {
      const service = lacking();
      const patient = await access(service);
      await patient.press("Dar acceso");
      await heading("¡Listo! Tu pago está hecho");
      expect((await screen.findByRole("status")).textContent).toContain("Ya nos diste la clave de tu isapre");
      expect(screen.queryByText(/Falta un paso/)).toBeNull();
      const bodies = service.callsTo("linkAccess").map(({ body }) => body);
      expect(bodies).toMatchObject([{ insurer: "colmena", consents: [{ purpose: "insurer_access" }] }]);
      expect(bodies[0]).not.toHaveProperty("access");
      expect(JSON.stringify(service.calls)).not.toContain("clave-secreta");
    });

    it("is given on the next press after a lost answer", async () => {
      const service = lacking();
      service.fail("linkAccess", { lost: "answer" });
      const patient = await access(service);
      await patient.press("Dar acceso");
      expect((await screen.findByRole("alert")).textContent).not.toContain("Ya nos diste la clave");
      await patient.fill("Clave de tu isapre", "clave-secreta");
      await patient.press("Dar acceso");
      await screen.findByText("Ya nos diste la clave de tu isapre");
    });

    it("points to the mailed link when this page can no longer take it, with a way back to the receipt", async () => {
      const service = lacking();
      service.fail("linkAccess", { code: "widget_token_expired" });
      const patient = await access(service);
      await patient.press("Volver");
      await patient.press("Dar mi clave ahora");
      await patient.chooseInsurer();
      await patient.fill("Clave de tu isapre", "clave-secreta");
      await patient.tickAll();
      await patient.press("Dar acceso");
      await screen.findByText(/Te enviamos un enlace para darla/);
      expect(screen.queryByText("Dar mi clave ahora")).toBeNull();
    });
  });

  it("requests no known data from a known patient", async () => {
    const { patient } = await knownPatientAtIdentity();
    await heading("Confirma tu identidad");
    expect(screen.getByText("Paso 2 de 4")).toBeTruthy();
    await patient.proveIdentity();
    await heading("Tu tarjeta");
  });

  it("starts at the server's step", async () => {
    await patientAtCard();
    await heading("Tu tarjeta");
  });

  it("starts at the last step when only the payment is left", async () => {
    await patientAtReview();
    await heading("Revisa y paga");
  });

  it("reopens the card that is being changed after a reload, and inquires about the payment", async () => {
    const history = createFakeHistory({ hash: "card" });
    const { service } = await patientAtReview({}, { parts: { history } });
    await heading("Tu tarjeta");
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
  });

  it("does not reopen a completed step that cannot be changed", async () => {
    const history = createFakeHistory({ hash: "identity" });
    await patientAtReview({}, { parts: { history } });
    await heading("Revisa y paga");
  });

  it("reopens the remembered step after a reload if the server allows it", async () => {
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" });
    const history = createFakeHistory({ hash: "identity" });
    await openCheckout(service, { parts: { history } });
    await heading("Confirma tu identidad");
  });

  it("does not reopen a step that the server has not reached", async () => {
    const history = createFakeHistory({ hash: "review" });
    await openCheckout(createFakeService(), { parts: { history } });
    await heading("Atiéndete ahora, paga después");
  });

  it("leads back at any time before the payment and keeps the form's input", async () => {
    const { patient } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await patient.press("Editar");
    await patient.fill("Correo electrónico", "otra@example.com");
    await patient.tickAll();
    await patient.press("Volver");
    await heading("Atiéndete ahora, paga después");
    await patient.press("Continuar");
    await heading("Tus datos");
    expect(screen.getByText("otra@example.com")).toBeTruthy();
    expect(screen.getAllByRole("checkbox", { checked: true })).toHaveLength(2);
  });

  it("moves the focus to the heading of each new screen and names the page after it", async () => {
    await knownPatientAtIdentity();
    const title = await heading("Confirma tu identidad");
    expect(document.activeElement).toBe(title);
    expect(document.title).toBe("Confirma tu identidad · Atiéndete ahora, paga después");
  });

  it("completes a sign-up without an order after a code to the mailbox", async () => {
    const service = createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" });
    const { patient } = await openCheckout(service);
    await patient.fill("RUT", "40.100.000-3");
    await patient.register();
    await patient.answerCode();
    await heading("¡Listo! Ya estás inscrito");
    expect(screen.queryByText(/Guardamos tus datos y la clave de tu isapre/)).toBeNull();
  });

  it("shows that the isapre is linked after its password was given", async () => {
    const service = createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" });
    const { patient } = await openCheckout(service);
    await patient.fill("RUT", "40.100.000-3");
    await patient.register("mi-clave-secreta");
    await patient.answerCode();
    await heading("¡Listo! Ya estás inscrito");
    expect(screen.getByText(/Guardamos tus datos y la clave de tu isapre/)).toBeTruthy();
  });
});

describe("a sign-up without an order", () => {
  const SIGN_UP = { order: null, order_token: null, quote: null, purpose: "onboarding" } as const;

  it("is found complete when sent again after a lost answer, and is reported to the embedding page", async () => {
    const service = createFakeService(SIGN_UP);
    const host = createFakeHost();
    service.fail("user", { lost: "answer" }, { code: "widget_token_used" });
    const { patient } = await openCheckout(service, { parts: { connect: host.connect } });
    await patient.fill("RUT", "40.100.000-3");
    await patient.register();
    expect((await alert()).textContent).toContain("No pudimos conectarnos");
    await patient.press("Continuar");
    await patient.answerCode();
    await heading("¡Listo! Ya estás inscrito");
    expect(host.sent("completed")).toHaveLength(1);
  });

  it("ends if another visit used the token, or if it was used for another RUT", async () => {
    const service = createFakeService(SIGN_UP);
    service.fail("user", { lost: "answer" }, { code: "widget_token_used" });
    const { patient } = await openCheckout(service);
    await patient.fill("RUT", "40.100.000-3");
    await patient.register();
    await alert();
    await patient.fill("RUT", "40.237.731-3");
    await patient.press("Continuar");
    await heading("Este enlace ya se usó");
  });
});

describe("link to the patient's own data", () => {
  const open = () => act(() => screen.getByText("Mis datos").click());

  it("is requested by the order's RUT, and the page only confirms the request", async () => {
    const { service, patient } = await patientAtReview();
    await patient.pay();
    await patient.isDone();
    open();
    await patient.press("Enviarme el enlace");
    const status = await screen.findByRole("status");
    expect(status.textContent).toContain("Revisa tu correo");
    expect(document.activeElement).toBe(status);
    expect(service.callsTo("dataLink").map(({ body }) => body)).toEqual([{ rut: "40.100.000-3" }]);
    expect(screen.queryByRole("button", { name: "Enviarme el enlace" })).toBeNull();
  });

  it("is requested by the typed RUT when there is no order", async () => {
    const service = createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" });
    const { patient } = await openCheckout(service);
    await patient.fill("RUT", "40.100.000-3");
    await patient.register();
    await patient.answerCode();
    await heading("¡Listo! Ya estás inscrito");
    open();
    await patient.press("Enviarme el enlace");
    await screen.findByText("Revisa tu correo");
    expect(service.callsTo("dataLink").map(({ body }) => body)).toEqual([{ rut: "40.100.000-3" }]);
  });

  it("can be requested again after a lost call", async () => {
    const { service, patient } = await patientAtReview();
    await patient.pay();
    await patient.isDone();
    service.fail("dataLink", { lost: "call" });
    open();
    await patient.press("Enviarme el enlace");
    expect((await alert()).textContent).toContain("No pudimos conectarnos");
    await patient.press("Enviarme el enlace");
    await screen.findByText("Revisa tu correo");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(service.callsTo("dataLink")).toHaveLength(1);
  });
});

describe("consents", () => {
  it("start unticked, and required ones block the step until they are ticked", async () => {
    const { patient } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
    await patient.press("Continuar");
    const summary = await alert();
    expect(document.activeElement).toBe(summary);
    expect(within(summary).getByRole("link", { name: /Pidan el reembolso por mí/ })).toBeTruthy();
  });

  it("are sent with version and hash of the shown text, only if given", async () => {
    const service = createFakeService();
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await patient.register();
    await heading("Tu tarjeta");
    const [call] = service.callsTo("user");
    const given = service
      .session()
      .consents.filter(({ purpose }) => purpose === "claim_mandate" || purpose === "health_data")
      .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));
    expect(call?.body.consents).toEqual(given);
  });

  it("include access to the isapre only with its password, and then require it", async () => {
    const { patient } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByText("Usen la clave de mi isapre", { selector: "label" })).toBeNull();
    await patient.openFold("Agregar la clave de tu isapre");
    await patient.fill("Clave de tu isapre", "secreta");
    expect(screen.getByText("Usen la clave de mi isapre", { selector: "label" })).toBeTruthy();
  });

  it("include marketing only in a sign-up without a payment", async () => {
    const paying = await openCheckout(createFakeService());
    await paying.patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByRole("checkbox", { name: /Novedades/ })).toBeNull();
    paying.view.unmount();
    await openCheckout(createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" }));
    await heading("Tus datos");
    expect(screen.getByRole("checkbox", { name: /Novedades/ })).toBeTruthy();
  });

  it("to the payment are requested on the screen that pays", async () => {
    const { service, patient } = await patientAtReview();
    await heading("Revisa y paga");
    expect(screen.getAllByRole("checkbox")).toHaveLength(2);
    await patient.pay();
    await patient.isDone();
    const [call] = service.callsTo("payment");
    expect(call?.body.consents).toHaveLength(2);
  });

  it("are requested again with the current texts when these have changed", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "consents_missing" });
    await patient.pay();
    expect((await alert()).textContent).toContain("Falta tu autorización");
    expect(service.callsTo("session")).toHaveLength(1);
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
  });

  it("come after the texts of the agreement, each readable there", async () => {
    const { service, patient } = await patientAtReview();
    await heading("Revisa y paga");
    // The right of withdrawal is shown unfolded, without a call.
    expect(screen.getByText(/^No hay retracto/).closest("details")).toBeNull();
    expect(service.callsTo("agreement")).toHaveLength(0);
    service.fail("agreement", { lost: "answer" });
    await patient.openFold("Contrato");
    await patient.press("Reintentar");
    expect(await screen.findByText("También puedes reclamar ante el SERNAC.")).toBeTruthy();
    await patient.openFold("Hoja de resumen");
    expect(await screen.findByRole("heading", { level: 3, name: "summary_sheet muestra-1" })).toBeTruthy();
    expect(service.callsTo("agreement").map(({ query }) => query)).toEqual(["?locale=es-CL", "?locale=es-CL"]);
    await heading("Revisa y paga");
  });

  it("can be downloaded after the payment", async () => {
    const saved: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((file) => {
      if (file instanceof Blob) saved.push(file);
      return "blob:here";
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    const { patient } = await patientAtReview();
    await patient.pay();
    await heading("¡Listo! Tu pago está hecho");
    await patient.press("Descargar contrato (PDF)");
    await waitFor(() => expect(saved.map(({ type }) => type)).toEqual(["application/pdf"]));
    expect(await saved[0]?.text()).toBe("%PDF-1.7\n");
    vi.restoreAllMocks();
  });

  it("apply to the quote shown: a changed quote is shown before it is paid", async () => {
    const { service, patient } = await patientAtReview();
    const shown = sessionWith().quote;
    if (shown === null) throw new Error("The recorded session has a quote.");
    const quote = { ...shown, latest_due_date: "2027-01-06", sha256: "b".repeat(64) };
    const session = service.session();
    const consents = session.consents.map((each) => ({ ...each, text: each.text.replace("5 de enero", "6 de enero") }));
    service.fail("payment", { code: "quote_changed", additions: { quote } });
    service.answer("session", { ...session, quote, consents });
    await patient.pay();
    expect((await alert()).textContent).toContain("Las condiciones cambiaron");
    expect(screen.getAllByText(/[Aa] más tardar,? el 6\sde enero de\s2027/)).toHaveLength(2);
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
    await patient.pay();
    await patient.isDone();
    expect(service.callsTo("payment").map(({ body }) => body.quote_sha256)).toEqual([shown.sha256, quote.sha256]);
    expect(service.charges()).toBe(1);
  });
});

describe("the patient's form", () => {
  it("is validated when submitted, with a summary that links to each field", async () => {
    const { patient, user } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await patient.press("Editar");
    await patient.fill("Correo electrónico", "camila@");
    await patient.press("Continuar");
    const summary = await alert();
    expect(document.activeElement).toBe(summary);
    await user.click(within(summary).getByRole("link", { name: /Revisa tu correo/ }));
    const field = screen.getByLabelText(/Correo electrónico/);
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute("aria-invalid")).toBe("true");
    const message = document.getElementById(field.getAttribute("aria-describedby") ?? "");
    expect(message?.textContent).toContain("Revisa tu correo");
  });

  it("accepts a RUT in any common format and validates it when the field loses focus", async () => {
    const service = createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" });
    const { user } = await openCheckout(service);
    const field = await screen.findByLabelText("RUT");
    await user.type(field, "40100000");
    expect(field.getAttribute("aria-invalid")).toBeNull();
    await user.tab();
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
    await user.type(field, "3");
    await user.tab();
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBeNull());
    expect(screen.getByDisplayValue("40.100.000-3")).toBeTruthy();
  });

  it("sends normalized values, also of a RUT field that still has the focus", async () => {
    const service = createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" });
    const { patient, user } = await openCheckout(service);
    await patient.register();
    const field = await screen.findByLabelText("RUT");
    await user.clear(field);
    await user.type(field, "13656606{Enter}");
    await patient.answerCode();
    await heading("¡Listo! Ya estás inscrito");
    expect(service.callsTo("user").map(({ body }) => body.rut)).toEqual(["1.365.660-6"]);
  });

  it("marks the fields that the service refuses", async () => {
    const service = createFakeService();
    service.fail("user", {
      code: "validation_error",
      additions: { errors: [{ path: "email", message: "must be an e-mail" }] },
    });
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await patient.register();
    expect(within(await alert()).getByRole("link", { name: /Correo electrónico/ })).toBeTruthy();
    await waitFor(() => expect(screen.getByLabelText(/Correo electrónico/).getAttribute("aria-invalid")).toBe("true"));
  });

  it.each(["fonasa", "none"])("says at once that %s is not supported, with a way back", async (insurer) => {
    const service = createFakeService();
    const { patient, user } = await openCheckout(service);
    await patient.acceptSummary();
    await user.selectOptions(await screen.findByLabelText("Tu isapre"), insurer);
    await patient.tickAll();
    await patient.press("Continuar");
    await heading("Por ahora solo funciona con isapre");
    expect(service.callsTo("user")).toHaveLength(0);
    await patient.press(/volver a mis datos/);
    await heading("Tus datos");
  });

  it("sends the isapre's password only sealed for the insurer's connector", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
    const { n = "", e = "" } = await exportJWK(publicKey);
    const insurer_access = { kty: "RSA", kid: "test", alg: "RSA-OAEP-256", use: "enc", n, e } as const;
    const { card } = createFakeService().session().sealing_keys;
    const service = createFakeService({ sealing_keys: { card, insurer_access } });
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await patient.register("mi-clave-secreta");
    await heading("Tu tarjeta");
    const [call] = service.callsTo("user");
    const { plaintext } = await compactDecrypt(String(call?.body.sealed_insurer_access), privateKey);
    const opened: unknown = JSON.parse(new TextDecoder().decode(plaintext));
    expect(opened).toMatchObject({ insurer: "colmena", rut: "40.100.000-3", password: "mi-clave-secreta" });
    expect(JSON.stringify(call?.body)).not.toContain("mi-clave-secreta");
  });

  it("sends no isapre password when it cannot be sealed, and says when it will be requested", async () => {
    const { card } = createFakeService().session().sealing_keys;
    const service = createFakeService({ sealing_keys: { card, insurer_access: null } });
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByLabelText("Clave de tu isapre")).toBeNull();
    expect(screen.getByText(/Después de pagar te enviamos un enlace para darla/)).toBeTruthy();
    await patient.register();
    await heading("Tu tarjeta");
    expect(service.callsTo("user")[0]?.body).not.toHaveProperty("sealed_insurer_access");
  });
});

describe("identity of a new patient", () => {
  it("keeps the registered patient on the screen after a refused document, and marks the number", async () => {
    const service = createFakeService();
    service.fail("identity", { code: "identity_rejected", additions: { attempts_left: 4 } });
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await patient.register(undefined, "111.111.111");
    const summary = await alert();
    expect(summary.textContent).toContain("Te quedan 4 intentos.");
    expect(within(summary).getByRole("link", { name: /Número de documento/ })).toBeTruthy();
    await heading("Tus datos");
    expect(screen.queryByLabelText("Tu isapre")).toBeNull();
    await patient.fill("Número de documento", "123456789");
    await patient.press("Continuar");
    await heading("Tu tarjeta");
    expect(service.callsTo("user")).toHaveLength(1);
    expect(service.callsTo("identity").map(({ body }) => body.document_serial)).toEqual(["111.111.111", "123.456.789"]);
  });

  it("resends only the document, under the same key, after a lost answer", async () => {
    const service = createFakeService();
    service.fail("identity", { lost: "answer" });
    const { patient } = await openCheckout(service);
    await patient.acceptSummary();
    await patient.register();
    await alert();
    await patient.press("Continuar");
    await heading("Tu tarjeta");
    expect(service.callsTo("user")).toHaveLength(1);
    const keys = service.callsTo("identity").map(({ headers }) => headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(1);
  });

  it("is requested on a separate screen after a reload", async () => {
    const history = createFakeHistory({ hash: "patient" });
    await openCheckout(createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" }), { parts: { history } });
    await heading("Confirma tu identidad");
  });

  it("is not requested in a sign-up without an order", async () => {
    await openCheckout(createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" }));
    await heading("Tus datos");
    expect(screen.queryByLabelText(/Número de documento/)).toBeNull();
  });
});

describe("a patient without an isapre", () => {
  it("is refused at the first field, before typing", async () => {
    const service = createFakeService();
    const { patient, user } = await openCheckout(service);
    await patient.acceptSummary();
    await user.selectOptions(await screen.findByLabelText("Tu isapre"), "fonasa");
    expect((await screen.findByRole("status")).textContent).toContain("Por ahora solo funciona con isapre");
    expect(screen.queryByRole("checkbox")).toBeNull();
    expect(screen.queryByRole("textbox")).toBeNull();
    await patient.press("Continuar");
    await heading("Por ahora solo funciona con isapre");
    expect(service.callsTo("user")).toEqual([]);
  });
});

describe("patient data provided by the clinic", () => {
  it("is shown as text, and as fields where something is missing", async () => {
    const known = await openCheckout(createFakeService());
    await known.patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.getByText("camila.rojas@example.com")).toBeTruthy();
    expect(screen.queryByLabelText(/Correo electrónico/)).toBeNull();
    known.view.unmount();
    const { patient } = await openCheckout(createFakeService({ user_data: {} }));
    await patient.acceptSummary();
    expect(await screen.findByLabelText(/Correo electrónico/)).toBeTruthy();
  });
});

describe("a RUT under another e-mail", () => {
  const COLLISION = {
    code: "RUT_OTHER_EMAIL",
    additions: { email_hint: "c•••@e•••.com", recovery: ["email_code", "identity"] },
  } as const;

  async function collided(access?: string, service = createFakeService()) {
    service.fail("user", COLLISION);
    const opened = await openCheckout(service);
    await opened.patient.acceptSummary();
    await opened.patient.register(access);
    await heading("Tu RUT ya está registrado");
    return { service, ...opened };
  }

  it("is recovered by a code to the registered e-mail", async () => {
    const { service, patient } = await collided();
    await patient.press(/Recibir un código/);
    await heading("Escribe el código");
    await patient.fill("Código de 6 dígitos", "123 456");
    await patient.press("Confirmar");
    // Already registered, so only the document is missing.
    await heading("Tus datos");
    expect(screen.queryByRole("button", { name: "Editar" })).toBeNull();
    expect(screen.queryByRole("checkbox")).toBeNull();
    await patient.fill("Número de documento", "123456789");
    await patient.press("Continuar");
    await heading("Tu tarjeta");
    expect(service.callsTo("user")).toHaveLength(1);
    expect(service.callsTo("recovery")[0]?.body).toMatchObject({ way: "email_code", rut: "40.100.000-3" });
    expect(service.callsTo("verify")[0]?.body).toMatchObject({ code: "123456" });
  });

  it("is recovered and pays when the conflict appears only at the payment", async () => {
    const readiness = { identity_validated: true, payment_method_added: true };
    const order = orderWith({ readiness, payment_method: VISA });
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", order });
    const { patient } = await openCheckout(service);
    await heading("Revisa y paga");
    service.fail("payment", COLLISION, COLLISION);
    await patient.pay();
    await heading("Tu RUT ya está registrado");
    expect(screen.queryByText(/Paso 0/)).toBeNull();
    // This visit has no form in which it could be corrected.
    await patient.press(/Escribí mal mi RUT/);
    await heading("Revisa y paga");
    await patient.press(/^Pagar/);
    await heading("Tu RUT ya está registrado");
    await patient.press(/Recibir un código/);
    await heading("Escribe el código");
    await patient.fill("Código de 6 dígitos", "123456");
    await patient.press("Confirmar");
    await heading("Revisa y paga");
    // The consents stay ticked.
    await patient.press(/^Pagar/);
    await patient.isDone();
    expect(service.callsTo("verify")[0]?.body.rut).toBe(order.customer.rut);
    expect(service.charges()).toBe(1);
  });

  it("is recovered with the sealed password and the consents of the form", async () => {
    const { publicKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
    const { n = "", e = "" } = await exportJWK(publicKey);
    const insurer_access = { kty: "RSA", kid: "test", alg: "RSA-OAEP-256", use: "enc", n, e } as const;
    const { card } = createFakeService().session().sealing_keys;
    const service = createFakeService({ sealing_keys: { card, insurer_access } });
    const { patient } = await collided("secreta", service);
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "123456");
    await patient.press("Confirmar");
    await heading("Tus datos");
    const [user] = service.callsTo("user");
    const [verify] = service.callsTo("verify");
    const { insurer, sealed_insurer_access, consents } = user?.body ?? {};
    expect(sealed_insurer_access).toMatch(/^[\w-]+(\.[\w-]*){4}$/);
    expect(consents).toHaveLength(3);
    expect(verify?.body).toMatchObject({ insurer, sealed_insurer_access, consents });
  });

  it("requests changed consents on the form that shows them", async () => {
    const { service, patient } = await collided();
    service.fail("verify", { code: "consents_missing" });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "123456");
    await patient.press("Confirmar");
    await heading("Tus datos");
    expect((await alert()).textContent).toContain("Falta tu autorización");
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
    expect(service.callsTo("session")).toHaveLength(1);
  });

  it("gets another code, which is announced, clears the field and focuses it", async () => {
    const { service, patient } = await collided();
    const sent = { sent_to: "c•••@e•••.com", expires_at: "2026-11-21T15:31:00.000Z" };
    const [first, second] = ["2026-11-21T15:20:00.000Z", "2026-11-21T15:21:00.000Z"];
    service.answer("recovery", { ...sent, resend_after: first }, { ...sent, resend_after: second });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "000000");
    await patient.press("Enviar otro código");
    expect((await screen.findByText("Te enviamos otro código.")).closest("[role=status]")).toBeTruthy();
    const field = screen.getByLabelText<HTMLInputElement>("Código de 6 dígitos");
    expect([field.value, field]).toEqual(["", document.activeElement]);
    expect(screen.getByText("Podrás pedir otro código en 60 s")).toBeTruthy();
  });

  it("is recovered by the identity document and a new e-mail", async () => {
    const { service, patient } = await collided();
    await patient.press(/Ya no uso ese correo/);
    await heading("Confirma que eres tú");
    await patient.fill("Número de documento", "123456789");
    await patient.fill("Correo nuevo", "nueva@example.com");
    await patient.press("Enviar código");
    await heading("Escribe el código");
    expect(service.callsTo("recovery")[0]?.body).toMatchObject({
      way: "identity",
      document_serial: "123.456.789",
      email: "nueva@example.com",
    });
  });

  it("shows the attempts left after a wrong code", async () => {
    const { service, patient } = await collided();
    service.fail("verify", { code: "recovery_code_invalid", additions: { attempts_left: 2 } });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "000000");
    await patient.press("Confirmar");
    expect((await alert()).textContent).toContain("Te quedan 2 intentos.");
    const field = screen.getByLabelText("Código de 6 dígitos");
    expect([field.getAttribute("aria-invalid"), field]).toEqual(["true", document.activeElement]);
    expect(screen.getAllByRole("alert")).toHaveLength(1);
  });

  it("shows the next step, not a retry, after the last attempt", async () => {
    const { service, patient } = await collided();
    service.fail("verify", { code: "recovery_code_invalid", additions: { attempts_left: 0 } });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "000000");
    await patient.press("Confirmar");
    const text = (await alert()).textContent;
    expect(text).toContain("Ya no te quedan intentos. Pide uno nuevo.");
    expect(text).not.toContain("escríbelo otra vez");
  });

  it("marks a document that belongs to another RUT", async () => {
    const { service, patient } = await collided();
    service.fail("recovery", { code: "identity_rejected", additions: { attempts_left: 0 } });
    await patient.press(/Ya no uso ese correo/);
    await patient.fill("Número de documento", "111111111");
    await patient.fill("Correo nuevo", "nueva@example.com");
    await patient.press("Enviar código");
    const summary = await alert();
    expect(summary.textContent).toContain("debes esperar");
    expect(summary.textContent).not.toContain("escríbelo otra vez");
    expect(within(summary).getByRole("link", { name: /Número de documento/ })).toBeTruthy();
  });

  it("offers both ways again when the code has expired", async () => {
    const { service, patient } = await collided();
    service.fail("verify", { code: "recovery_code_expired" });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "000000");
    await patient.press("Confirmar");
    expect((await alert()).textContent).toContain("El código venció");
    await heading("Tu RUT ya está registrado");
  });

  it("leads back to the form for a mistyped RUT", async () => {
    const { patient } = await collided();
    await patient.press(/Escribí mal mi RUT/);
    await heading("Tus datos");
  });
});

describe("the identity", () => {
  it("is not sent with an impossible document number", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    await patient.proveIdentity("12345");
    expect((await alert()).textContent).toContain("9 dígitos");
    expect(service.callsTo("identity")).toHaveLength(0);
  });

  it("shows the attempts left after a rejection, and accepts the right number", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    service.fail("identity", { code: "identity_rejected", additions: { attempts_left: 4 } });
    await patient.proveIdentity("111.111.111");
    const summary = await alert();
    expect(summary.textContent).toContain("El número no corresponde a tu RUT");
    expect(summary.textContent).toContain("Te quedan 4 intentos.");
    expect(within(summary).getByRole("link", { name: /Número de documento/ })).toBeTruthy();
    expect(document.activeElement).toBe(summary);
    await patient.proveIdentity();
    await heading("Tu tarjeta");
  });

  it("is validated by the service for document formats unknown to the browser", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    await patient.proveIdentity("ab12.345.678-90");
    await heading("Tu tarjeta");
    expect(service.callsTo("identity")).toHaveLength(1);
  });

  it.each([
    ["identity_document_not_valid", "no está vigente"],
    ["identity_registry_unavailable", "El Registro Civil no responde"],
  ] as const)("shows what to do about %s", async (code, words) => {
    const { service, patient } = await knownPatientAtIdentity();
    service.fail("identity", { code });
    await patient.proveIdentity();
    expect((await alert()).textContent).toContain(words);
  });

  it("says when the next attempt is possible after too many attempts", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    service.fail("identity", {
      code: "identity_attempts_exhausted",
      additions: { attempts_left: 0, retry_after_seconds: 1_790 },
    });
    await patient.proveIdentity();
    expect((await alert()).textContent).toContain("Podrás probar en 30 minutos.");
  });

  it("is resent under the same key after a lost answer, so that no attempt is used twice", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    service.fail("identity", { lost: "answer" });
    await patient.proveIdentity();
    expect((await alert()).textContent).toContain("No pudimos conectarnos");
    await patient.press("Confirmar identidad");
    await heading("Tu tarjeta");
    const [first, second] = service.callsTo("identity").map((call) => call.headers.get("Idempotency-Key"));
    expect(first).toBe(second);
  });
});

describe("the card", () => {
  it("is sent only sealed, for the card processor and this order", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
    const { n = "", e = "" } = await exportJWK(publicKey);
    const card = { kty: "RSA", kid: "test", alg: "RSA-OAEP-256", use: "enc", n, e } as const;
    const { insurer_access } = createFakeService().session().sealing_keys;
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
      sealing_keys: { card, insurer_access },
    });
    const { patient } = await openCheckout(service);
    await patient.addCard();
    await heading("Revisa y paga");
    const [call] = service.callsTo("card");
    expect(Object.keys(call?.body ?? {})).toEqual(["sealed_card"]);
    const { plaintext } = await compactDecrypt(String(call?.body.sealed_card), privateKey);
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual({
      number: "4051885600446623",
      exp_month: 12,
      exp_year: 2034,
      cvc: "123",
      holder_name: "CAMILA ROJAS",
      order_token: service.session().order_token,
      iat: Date.parse(service.session().server_time) / 1_000,
    });
  });

  it("is sent despite a wrong check digit, with an announced warning", async () => {
    const { service, patient, user } = await patientAtCard();
    await patient.fill("Número de tarjeta", "4511346660037060");
    const status = screen.getByRole("status");
    expect(status.textContent).toBe("");
    await user.tab();
    await waitFor(() => expect(status.textContent).toMatch(/parece tener un error/));
    await patient.addCard("4511346660037060");
    await heading("Revisa y paga");
    expect(service.callsTo("card")).toHaveLength(1);
  });

  it.each([
    { brand: "American Express", number: "378282246310005", wrong: "123", right: "1234" },
    { brand: "Visa", number: "4051885600446623", wrong: "12", right: "123" },
  ])("is not sent while its code has another length than $brand's, and then pays", async (card) => {
    const { service, patient } = await patientAtCard();
    await heading("Tu tarjeta");
    await patient.fill("Número de tarjeta", card.number);
    await patient.fill("Vencimiento", "12/34");
    await patient.fill("Código CVV", card.wrong);
    await patient.fill("Nombre en la tarjeta", "CAMILA ROJAS");
    await patient.press("Continuar");
    const code = screen.getByLabelText("Código CVV");
    await waitFor(() => expect(code.getAttribute("aria-invalid")).toBe("true"));
    expect(screen.getAllByText("Revisa el código: son 3 dígitos, o 4 en American Express.")).not.toHaveLength(0);
    expect(screen.getByLabelText<HTMLInputElement>("Número de tarjeta").value.replaceAll(" ", "")).toBe(card.number);
    expect(service.callsTo("card")).toEqual([]);
    await patient.fill("Código CVV", card.right);
    await patient.press("Continuar");
    await patient.pay();
    await patient.isDone();
    expect([service.callsTo("card").length, service.charges()]).toEqual([1, 1]);
  });

  it("is not sent while incomplete, and every fault is named", async () => {
    const { service, patient } = await patientAtCard();
    await heading("Tu tarjeta");
    await patient.fill("Número de tarjeta", "4051");
    await patient.press("Continuar");
    expect(within(await alert()).getAllByRole("link")).toHaveLength(4);
    expect(service.callsTo("card")).toHaveLength(0);
  });

  it.each([
    ["insufficient_funds", "no tiene cupo suficiente"],
    ["card_expired", "está vencida"],
    ["card_lost_or_stolen", "no permite usar esta tarjeta"],
    ["security_code_wrong", "código CVV no es correcto"],
  ] as const)("shows why it was declined for %s, and accepts another one", async (decline_reason, words) => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code: "card_declined", additions: { decline_reason } });
    await patient.addCard();
    expect((await alert()).textContent).toContain(words);
    await patient.addCard("5186059559590568");
    await heading("Revisa y paga");
  });

  it.each([
    ["card_expires_too_soon", "vence muy pronto"],
    ["sealed_card_refused", "Vuelve a ingresar tu tarjeta"],
    ["card_processor_unavailable", "El procesador de tarjetas no responde"],
    ["payment_in_progress", "Hay un pago en curso"],
  ] as const)("shows what to do about %s", async (code, words) => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code });
    await patient.addCard();
    expect((await alert()).textContent).toContain(words);
  });

  it.each([
    ["card_processor_unavailable", "4051 8856 0044 6623"],
    ["card_declined", ""],
  ] as const)("has to be typed again only if it is unusable: %s", async (code, left) => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code });
    await patient.addCard();
    await alert();
    expect(screen.getByLabelText<HTMLInputElement>("Número de tarjeta").value).toBe(left);
  });

  it("is sealed with a key requested at its step when the page had none", async () => {
    const { privateKey, key } = await sealingKey();
    const { insurer_access } = createFakeService().session().sealing_keys;
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
      sealing_keys: { card: null, insurer_access },
    });
    const { patient } = await openCheckout(service);
    await waitFor(() => expect(service.callsTo("session")).toHaveLength(1));
    await patient.addCard();
    await alert();
    expect(service.callsTo("card")).toHaveLength(0);
    expect(screen.getByLabelText<HTMLInputElement>("Número de tarjeta").value).not.toBe("");

    service.replaceSession({ sealing_keys: { card: key, insurer_access } });
    await patient.press("Continuar");
    await heading("Revisa y paga");
    const { plaintext } = await compactDecrypt(String(service.callsTo("card")[0]?.body.sealed_card), privateKey);
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toMatchObject({ number: "4051885600446623" });
  });

  it("keeps its input when its key comes late, and clears it for another key", async () => {
    const { key } = await sealingKey();
    const { insurer_access } = createFakeService().session().sealing_keys;
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
      sealing_keys: { card: null, insurer_access },
    });
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const fetch: typeof service.fetch = async (input, init) => {
      if (init?.method !== "POST") await answered;
      return service.fetch(input, init);
    };
    const host = createFakeHost();
    const { patient } = await openCheckout({ ...service, fetch }, { parts: { connect: host.connect } });
    await patient.fill("Número de tarjeta", "4051885600446623");
    service.replaceSession({ sealing_keys: { card: key, insurer_access } });
    const number = () => screen.getByLabelText<HTMLInputElement>("Número de tarjeta").value;
    await act(async () => answer());
    await waitFor(() => expect(service.callsTo("session")).toHaveLength(1));
    await act(async () => undefined);
    expect(number()).toBe("4051 8856 0044 6623");

    service.replaceSession({ sealing_keys: { card: { ...key, kid: "another" }, insurer_access } });
    host.say({ type: "token", payload: { widget_token: "0b7a4f0e-1111-4222-8333-44445555aaaa" } });
    await waitFor(() => expect(number()).toBe(""));
  });

  it("is followed by a refresh of the server's time and keys if it was sealed too long ago", async () => {
    const { service, patient } = await patientAtCard();
    const { privateKey, key } = await sealingKey();
    const { insurer_access } = service.session().sealing_keys;
    const server_time = "2026-11-21T16:40:00.000Z";
    service.replaceSession({ server_time, sealing_keys: { card: key, insurer_access } });
    service.fail("card", { code: "sealed_card_refused" });
    await patient.addCard();
    await alert();
    await patient.addCard();
    await heading("Revisa y paga");
    const { plaintext } = await compactDecrypt(String(service.callsTo("card")[1]?.body.sealed_card), privateKey);
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toMatchObject({ iat: Date.parse(server_time) / 1_000 });
  });

  it("leads back to the identity step if the identity turns out to be missing", async () => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code: "processor_customer_identity_not_validated" });
    await patient.addCard();
    await heading("Confirma tu identidad");
  });

  it("can be changed until the payment, or kept unchanged", async () => {
    const { patient } = await patientAtReview();
    await patient.press(/Cambiar/);
    await heading("Tu tarjeta");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Otra tarjeta" }).checked).toBe(true);
    await patient.chooseCard(/Visa ••6623/);
    await heading("Revisa y paga");
  });
});

describe("the payment", () => {
  it("charges once for twenty clicks with the first answer lost", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { lost: "answer" });
    await heading("Revisa y paga");
    await patient.tickAll();
    const button = screen.getByRole("button", { name: /^Pagar/ });
    act(() => {
      for (let click = 0; click < 20; click += 1) button.click();
    });
    await patient.isDone();
    expect(service.charges()).toBe(1);
    const keys = new Set(service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key")));
    expect(keys.size).toBe(1);
  });

  it.each([
    ["before the service got the call", { lost: "call" }],
    ["after it", { lost: "answer" }],
    ["while another call is running", { code: "idempotency_in_flight" }],
    ["while the service fails", { code: "internal_error" }],
  ] as const)("is polled until its outcome is known when cut %s", async (_when, fault) => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", fault, fault);
    await patient.pay();
    await patient.isDone();
    expect(service.charges()).toBe(1);
  });

  it("is polled while it is processing", async () => {
    const { service, patient } = await patientAtReview();
    service.answer("payment", { order: service.order(), payment: { status: "processing" } });
    await patient.pay();
    await patient.isDone();
    expect(service.callsTo("payment")).toHaveLength(2);
  });

  it.each([
    ["amount", "límite menor que este monto"],
    ["uses", "máximo de usos"],
  ] as const)("explains a card over its limit of %s, and succeeds with another one", async (limit, words) => {
    const { service, patient } = await patientAtReview();
    const additions = { decline_reason: "declined", decline_limit: limit } as const;
    service.fail("payment", { code: "card_declined", additions });
    await patient.pay();
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toContain(words);
    expect((await alert()).textContent).toContain("en la app de tu banco");
    await patient.addCard();
    await patient.press(/^Pagar/);
    await patient.isDone();
  });

  it("names card and amount when declined for funds, and retries the same card on another press", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "card_declined", additions: { decline_reason: "insufficient_funds" } });
    await patient.pay();
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toMatch(/Tu banco rechazó el pago de \$13.786 con la Visa ••6623/);
    expect(screen.queryByText(/una sola vez/)).toBeNull();
    await patient.press("Reintentar con Visa ••6623");
    expect(service.callsTo("payment")).toHaveLength(1);
    await patient.press(/^Pagar/);
    await patient.isDone();
  });

  it.each(["declined", "card_lost_or_stolen", "card_expired"] as const)(
    "never offers a card again that was declined for good (%s), even if the next one fails",
    async (decline_reason) => {
      const { service, patient } = await patientAtReview();
      service.fail("payment", { code: "card_declined", additions: { decline_reason } });
      await patient.pay();
      await heading("Usa otra tarjeta");
      service.fail("card", { lost: "call" });
      await patient.addCard();
      expect((await alert()).textContent).toContain("conect");
      expect(screen.queryByRole("button", { name: /Reintentar con/ })).toBeNull();
      expect(screen.queryByRole("radio")).toBeNull();
      await patient.press("Usar otra tarjeta");
      await patient.press(/^Pagar/);
      await patient.isDone();
    },
  );

  it("declined for good cannot be repeated with the same card, either forwards or after a reload", async () => {
    const { service, patient, view } = await patientAtReview();
    service.fail("payment", { code: "card_declined", additions: { decline_reason: "card_blocked" } });
    await patient.pay();
    await heading("Usa otra tarjeta");
    await patient.press("Volver");
    await patient.acceptSummary();
    await heading("Usa otra tarjeta");
    view.unmount();
    const reloaded = await openCheckout(service, {
      state: { session: { ...service.session(), order: service.order() } },
    });
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toContain(
      "Tu banco rechazó el pago de $13.786 con la Visa ••6623Tu tarjeta está bloqueada. No se cobró nada.",
    );
    expect(screen.queryByRole("button", { name: /Reintentar con/ })).toBeNull();
    // The same number, entered with another security code.
    await reloaded.patient.addCard();
    await reloaded.patient.pay();
    await reloaded.patient.isDone();
    expect(service.callsTo("payment")).toHaveLength(2);
  });

  it("leads back to the card with the decline's reason, and pays with another one under a new key", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "card_declined", additions: { decline_reason: "insufficient_funds" } });
    await patient.pay();
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toContain("no tiene cupo suficiente");
    await patient.addCard();
    await patient.press(/^Pagar/);
    await patient.isDone();
    const [first, second] = service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key"));
    expect(first).not.toBe(second);
  });

  it("ends with the written reasons of a refused credit", async () => {
    const { service, patient } = await patientAtReview();
    const reasons = ["Tu renta informada no alcanza.", "Tienes otra atención pendiente de cobro."];
    service.fail("payment", { code: "credit_declined", additions: { reasons } });
    await patient.pay();
    await heading("El crédito no fue aprobado");
    for (const reason of reasons) expect(screen.getByText(reason)).toBeTruthy();
    expect(screen.queryByText(/No se cobró|primer cobro/)).toBeNull();
    expect(screen.queryByRole("button", { name: /^Pagar/ })).toBeNull();
    await patient.press("Pedir que lo revise una persona");
    expect((await screen.findByText(/Hacer una solicitud/)).textContent).toContain("correo");
    expect(service.callsTo("dataLink")).toHaveLength(1);
  });

  it.each([
    ["not_charged", "No se cobró nada en tu tarjeta."],
    ["returned", "Devolvimos el primer cobro a tu tarjeta. Puede tardar unos días en verse."],
    [
      "not_returned",
      "Alcanzamos a hacer el primer cobro y tu tarjeta no aceptó la devolución. Te contactaremos para devolvértelo.",
    ],
  ] as const)("shows the state of the first charge after a refused credit: %s", async (first_instalment, text) => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "credit_declined", additions: { reasons: [], first_instalment } });
    await patient.pay();
    await heading("El crédito no fue aprobado");
    expect(screen.getByText(text)).toBeTruthy();
  });

  it("leads back to the card step if the card turns out to be missing", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "processor_payment_method_not_found" });
    await patient.pay();
    await heading("Tu tarjeta");
    expect((await alert()).textContent).toContain("Primero agrega tu tarjeta");
  });

  it("ends the visit when the order can no longer be paid", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "order_not_payable" });
    await patient.pay();
    await heading("Esta orden ya no se puede pagar");
  });
});

describe("return to an earlier payment", () => {
  it("shows a payment in progress until its outcome is known", async () => {
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
    });
    const processing = { order: service.order(), payment: { status: "processing" } };
    service.answer("inquiry", processing, processing, { order: paidOrder(), payment: { status: "succeeded" } });
    await openCheckout(service);
    await heading("¡Listo! Tu pago está hecho");
    expect(service.callsTo("payment")).toHaveLength(0);
  });

  it("shows the reasons of a refused credit again, without an offer", async () => {
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
      quote: null,
    });
    service.fail("inquiry", { code: "credit_declined", additions: { reasons: ["Tu renta informada no alcanza."] } });
    await openCheckout(service);
    await heading("El crédito no fue aprobado");
    expect(screen.getByText("Tu renta informada no alcanza.")).toBeTruthy();
  });

  it.each([
    ["a lost answer", { lost: "answer" }],
    ["too many requests", { code: "rate_limited" }],
    ["a fault of the service", { code: "internal_error" }],
  ] as const)(
    "repeats the inquiry about a refused credit after %s, until it gets the reasons",
    async (_after, fault) => {
      const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", quote: null });
      const reasons = ["Tu renta informada no alcanza."];
      service.fail("inquiry", fault, fault, { code: "credit_declined", additions: { reasons } });
      await openCheckout(service);
      await heading("El crédito no fue aprobado");
      expect(screen.getByText("Tu renta informada no alcanza.")).toBeTruthy();
    },
  );

  it("first shows that it checks the payment, then that this may take long", async () => {
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", quote: null });
    const limited = { code: "rate_limited" } as const;
    service.fail("inquiry", ...Array.from({ length: QUESTIONS_UNTIL_STUCK + 1 }, () => limited));
    const goOn: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => void goOn.push(resolve));
    await openCheckout(service, { wait });
    for (let asked = 1; asked <= QUESTIONS_UNTIL_STUCK; asked += 1) {
      await waitFor(() => expect(goOn).toHaveLength(asked));
      await heading("Estamos revisando tu pago");
      expect(screen.getByText("No se cobrará dos veces.")).toBeTruthy();
      expect(screen.queryByText(/No nos llegó la respuesta/)).toBeNull();
      act(() => goOn.at(-1)?.());
    }
    await heading("Todavía no podemos confirmar tu pago");
    // Polling continues, and a later answer is shown.
    service.fail("inquiry", { code: "credit_declined", additions: { reasons: ["Tu renta informada no alcanza."] } });
    act(() => goOn.at(-1)?.());
    await heading("El crédito no fue aprobado");
  });

  it("inquires about a refused credit once the screen's code has loaded, even after a failed load", async () => {
    let isGone = true;
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", quote: null });
    service.fail("inquiry", { code: "credit_declined", additions: { reasons: ["Tu renta informada no alcanza."] } });
    const { loadSteps: load } = partsFor(service);
    const loadSteps: typeof load = (visit) => (isGone ? Promise.reject(new TypeError("gone")) : load(visit));
    const { patient } = await openCheckout(service, { parts: { loadSteps } });
    await heading("No pudimos conectarnos");
    isGone = false;
    await patient.press("Reintentar");
    await heading("El crédito no fue aprobado");
  });

  it("shows that the payment was declined meanwhile, not that consents are missing", async () => {
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
    });
    // The second request finds no attempt in progress, and sends no consents.
    service.answer("inquiry", { order: service.order(), payment: { status: "processing" } });
    await openCheckout(service);
    await heading("Usa otra tarjeta");
    const text = (await alert()).textContent;
    expect(text).toContain("No se cobró nada");
    expect(text).not.toContain("Falta tu autorización");
    expect(service.callsTo("inquiry")).toHaveLength(2);
  });

  it("keeps the patient's step, and starts no payment, if there was none", async () => {
    const { service } = await patientAtReview();
    await heading("Revisa y paga");
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(service.charges()).toBe(0);
  });
});

describe("strong authentication", () => {
  const CHALLENGED = { status: "requires_action", action: CHALLENGE_ACTION };

  function challenge(service: ReturnType<typeof createFakeService>) {
    service.answer("payment", { order: service.order(), payment: CHALLENGED });
  }

  it("opens the bank's page in a dialog and inquires under the same key when it ends", async () => {
    const { service, patient } = await patientAtReview();
    challenge(service);
    await patient.pay();
    const dialog = await screen.findByRole("dialog", { name: "Confirma con tu banco" });
    expect(within(dialog).getByTitle("Confirma con tu banco").getAttribute("src")).toBe(URL_OF_BANK);
    sayFromBank("aapd:challenge-ended");
    await patient.isDone();
    const keys = new Set(service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key")));
    expect(keys.size).toBe(1);
  });

  it("is polled when it ends before the service knows the outcome", async () => {
    const { service, patient } = await patientAtReview();
    const challenged = { order: service.order(), payment: CHALLENGED };
    service.answer("payment", challenged, challenged);
    await patient.pay();
    await screen.findByRole("dialog");
    const paid = { order: paidOrder(), payment: { status: "succeeded" } };
    service.answer("inquiry", challenged, paid, paid);
    sayFromBank("aapd:challenge-ended");
    await patient.isDone();
    expect(service.callsTo("payment")).toHaveLength(2);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("inquires with the payment's original request, also after a fresh token", async () => {
    const host = createFakeHost();
    const { service, patient } = await patientAtReview({}, { parts: { connect: host.connect } });
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    const { quote, consents } = service.session();
    if (quote === null) throw new Error("nothing is offered");
    service.replaceSession({
      quote: { ...quote, sha256: "b".repeat(64) },
      consents: consents.map((consent) => ({ ...consent, text_version: "2026-12", text_sha256: "c".repeat(64) })),
    });
    host.say({ type: "token", payload: { widget_token: "0b7a4f0e-1111-4222-8333-44445555aaaa" } });
    await waitFor(() => expect(service.callsTo("session")).toHaveLength(1));
    await act(async () => undefined);
    sayFromBank("aapd:challenge-ended");
    await patient.isDone();
    const [first, second] = service.callsTo("payment");
    expect(second?.headers.get("Idempotency-Key")).toBe(first?.headers.get("Idempotency-Key"));
    expect(second?.body).toEqual(first?.body);
  });

  it("makes the next card a new attempt when it was left and declined later", async () => {
    const { service, patient } = await patientAtReview();
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    service.answer("inquiry", { order: service.order(), payment: { status: "processing" } });
    await patient.press("Salir sin confirmar");
    await heading("Usa otra tarjeta");
    await patient.addCard();
    await heading("Revisa y paga");
    // The consents stay ticked.
    await patient.press(/^Pagar/);
    await patient.isDone();
    const keys = service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(2);
  });

  const openTab = () => screen.queryByRole("link", { name: "Ábrela en otra pestaña" });

  it("is offered in a tab when its page does not appear, and the service is polled", async () => {
    let late = (): void => undefined;
    const isLate = new Promise<void>((resolve) => {
      late = resolve;
    });
    const wait = vi.fn(() => isLate);
    const { service, patient } = await patientAtReview({}, { wait });
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    expect(openTab()).toBeNull();
    expect(wait.mock.calls).toEqual([[10_000]]);
    await act(async () => late());
    expect(openTab()).toMatchObject({ href: URL_OF_BANK, target: "_blank", rel: "noopener noreferrer" });
    const challenged = { order: service.order(), payment: CHALLENGED };
    const processing = { ...challenged, payment: { status: "processing" } };
    service.answer("inquiry", challenged, processing, { order: paidOrder(), payment: { status: "succeeded" } });
    openTab()?.addEventListener("click", (event) => event.preventDefault());
    await act(async () => openTab()?.click());
    await patient.isDone();
    expect(service.callsTo("payment")).toHaveLength(1);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("is not offered in a tab once its page has appeared; messages of other pages do not count", async () => {
    let late = (): void => undefined;
    const isLate = new Promise<void>((resolve) => {
      late = resolve;
    });
    const { service, patient } = await patientAtReview({}, { wait: () => isLate });
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    sayFromBank("aapd:challenge-shown");
    await act(async () => late());
    expect(openTab()).toBeNull();
    sayFromBank("aapd:challenge-ended");
    await patient.isDone();
  });

  it("accepts messages only from the bank's frame", async () => {
    const { service, patient } = await patientAtReview();
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    sayFromBank("aapd:challenge-ended", "https://evil.example");
    sayFromBank("aapd:challenge-ended", "https://bank.example", window);
    sayFromBank("something-else");
    expect(screen.getByRole("dialog")).toBeTruthy();
    expect(service.callsTo("payment")).toHaveLength(1);
  });

  it("returns to the last step when left, denies no charge, and can be resumed", async () => {
    const { service, patient } = await patientAtReview({}, { wait: () => new Promise(() => undefined) });
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    service.answer("inquiry", { order: service.order(), payment: CHALLENGED });
    await patient.press("Salir sin confirmar");
    await heading("Revisa y paga");
    expect(screen.getByText("No terminaste la confirmación")).toBeTruthy();
    expect(screen.getByText(/Si ya confirmaste, el pago puede completarse/)).toBeTruthy();
    expect(screen.queryByText(/No se cobró nada/)).toBeNull();
    await patient.press(/^Pagar/);
    await patient.isDone();
    expect(service.charges()).toBe(1);
  });

  it("is polled until the payment arrives when left after a confirmation elsewhere", async () => {
    const { service, patient } = await patientAtReview();
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    const challenged = { order: service.order(), payment: CHALLENGED };
    const paid = { order: paidOrder(), payment: { status: "succeeded" } };
    service.answer("inquiry", challenged, { ...challenged, payment: { status: "processing" } }, paid);
    await patient.press("Salir sin confirmar");
    await patient.isDone();
    expect(service.callsTo("payment")).toHaveLength(1);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it.each([
    ["with its reason", { code: "card_declined", additions: { decline_reason: "insufficient_funds" } }, "cupo"],
    ["when it has ended without one", { code: "consents_missing" }, "Tu banco rechazó el pago"],
  ] as const)("shows a decline after it was left, %s, and accepts another card", async (_how, fault, text) => {
    const { service, patient } = await patientAtReview();
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    service.fail("inquiry", fault);
    await patient.press("Salir sin confirmar");
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toContain(text);
    await patient.addCard();
    await patient.press(/^Pagar/);
    await patient.isDone();
    // Under the finished attempt's key, the service would only return its outcome again.
    const keys = service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(2);
  });

  it("is no longer polled once another card was added", async () => {
    const goOn: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => void goOn.push(resolve));
    const { service, patient } = await patientAtReview({}, { wait });
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    service.answer("inquiry", { order: service.order(), payment: CHALLENGED });
    await patient.press("Salir sin confirmar");
    await patient.press(/Cambiar/);
    await patient.addCard();
    await heading("Revisa y paga");
    for (const resume of goOn) resume();
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(3));
    await act(() => Promise.resolve());
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Revisa y paga");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("network failure", () => {
  const steps: readonly (readonly ["user" | "identity" | "card", (patient: Patient) => Promise<void>])[] = [
    ["user", (patient) => patient.register()],
    ["identity", (patient) => patient.proveIdentity()],
    ["card", (patient) => patient.addCard()],
  ];

  it.each(steps)("is shown at %s, keeps the form's input, and the next attempt succeeds", async (step, act) => {
    const readiness = { identity_validated: step === "card", payment_method_added: false };
    const service = createFakeService({
      event_type: step === "user" ? "SPOT_USER_NEW" : "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness }),
    });
    service.fail(step, { lost: "call" });
    const isOnline = vi.fn(() => false);
    const { patient } = await openCheckout(service, { isOnline });
    if (step !== "card") await patient.acceptSummary();
    await act(patient);
    expect((await alert()).textContent).toContain("No tienes conexión");
    const before = screen.getByRole("heading", { level: 1 }).textContent;
    await patient.press(/Continuar|Confirmar identidad/);
    await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).not.toBe(before));
  });

  it("is shown with a retry while the later screens load", async () => {
    let isGone = true;
    const service = createFakeService();
    const { loadSteps: load } = partsFor(service);
    const loadSteps: typeof load = (visit) => (isGone ? Promise.reject(new TypeError("gone")) : load(visit));
    const { patient } = await openCheckout(service, { parts: { loadSteps } });
    await patient.acceptSummary();
    await heading("No pudimos conectarnos");
    isGone = false;
    await patient.press("Reintentar");
    await heading("Tus datos");
  });

  it("reopens the page for later screens, once it is reachable, if the browser caches the failed load", async () => {
    let canReopen = false;
    const loadSteps = () => Promise.reject(new TypeError("kept as failed"));
    const reopen = vi.fn(() =>
      canReopen ? new Promise<never>(() => undefined) : Promise.reject(new TypeError("gone")),
    );
    const { patient } = await openCheckout(createFakeService(), { parts: { loadSteps, reopen } });
    await patient.acceptSummary();
    await heading("No pudimos conectarnos");
    expect(reopen).not.toHaveBeenCalled();
    await patient.press("Reintentar");
    await heading("No pudimos conectarnos");
    canReopen = true;
    await patient.press("Reintentar");
    expect((await screen.findByRole("status")).textContent).toBe("Cargando…");
    expect(reopen).toHaveBeenCalledTimes(2);
  });
});
