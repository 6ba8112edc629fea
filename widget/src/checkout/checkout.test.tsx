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

/** As far as the identity step, for a patient whom the service knows. */
async function knownPatientAtIdentity(service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" })) {
  const opened = await openCheckout(service);
  await opened.patient.acceptSummary();
  return { service, ...opened };
}

/** As far as the card step. */
async function patientAtCard() {
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: false } }),
  });
  return { service, ...(await openCheckout(service)) };
}

/** A key that a test can open what is sealed with. */
async function sealingKey() {
  const { publicKey, privateKey } = await generateKeyPair("RSA-OAEP-256", { extractable: true });
  const { n = "", e = "" } = await exportJWK(publicKey);
  return { privateKey, key: { kty: "RSA", kid: "test", alg: "RSA-OAEP-256", use: "enc", n, e } as const };
}

/** As far as the last step, with a card. */
async function patientAtReview(overrides: Parameters<typeof createFakeService>[0] = {}, options: OpenOptions = {}) {
  const service = createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
    ...overrides,
  });
  return { service, ...(await openCheckout(service, options)) };
}

describe("a patient's way", () => {
  it("goes from the summary to the receipt for a new patient, and charges once", async () => {
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
  ] as const)("%s, and until when it can be claimed", async (_says, missing_step, asked, nothingToDo) => {
    await openCheckout(createFakeService({ order: paidOrder({ missing_step }) }));
    await heading("¡Listo! Tu pago está hecho");
    expect(screen.queryAllByText(/Falta un paso para tu reembolso/)).toHaveLength(asked);
    expect(screen.queryAllByText(/tú no haces nada/)).toHaveLength(nothingToDo);
    expect(screen.getByText(/Plazo: 20 de enero de 2027/)).toBeTruthy();
  });

  it("ends with what a refund gives back by transfer and what the bank had given back, where no card got anything", async () => {
    const given = { transferred_amount: 10_700, bank_returned_amount: 5_000, returned_amount: 0 };
    await openCheckout(createFakeService({ order: { ...partlyReturnedOrder(), ...given } }));
    await heading("Pago con devolución parcial");
    expect(
      screen.getByText(/Te devolvemos \$10\.700 por transferencia.*Tu banco ya te había devuelto \$5\.000/),
    ).toBeTruthy();
  });

  describe("gives the access to the isapre that is missing, once it has paid", () => {
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

    it("with the token of the visit alone, the password sealed, and shows that nothing is missing", async () => {
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

    it("and where the answer was lost, at the next press", async () => {
      const service = lacking();
      service.fail("linkAccess", { lost: "answer" });
      const patient = await access(service);
      await patient.press("Dar acceso");
      expect((await screen.findByRole("alert")).textContent).not.toContain("Ya nos diste la clave");
      await patient.fill("Clave de tu isapre", "clave-secreta");
      await patient.press("Dar acceso");
      await screen.findByText("Ya nos diste la clave de tu isapre");
    });

    it("or is told of the link where this page cannot take it any more, and may go back to the receipt", async () => {
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

  it("does not ask a known patient for what is known", async () => {
    const { patient } = await knownPatientAtIdentity();
    await heading("Confirma tu identidad");
    expect(screen.getByText("Paso 2 de 4")).toBeTruthy();
    await patient.proveIdentity();
    await heading("Tu tarjeta");
  });

  it("starts where the server says that the patient was", async () => {
    await patientAtCard();
    await heading("Tu tarjeta");
  });

  it("starts at the last step when only the payment is left", async () => {
    await patientAtReview();
    await heading("Revisa y paga");
  });

  it("lands after a reload on the card that is to be changed, and asks how the payment stands", async () => {
    const history = createFakeHistory({ hash: "card" });
    const { service } = await patientAtReview({}, { parts: { history } });
    await heading("Tu tarjeta");
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
  });

  it("does not land on a step that is done and cannot be changed", async () => {
    const history = createFakeHistory({ hash: "identity" });
    await patientAtReview({}, { parts: { history } });
    await heading("Revisa y paga");
  });

  it("lands on the remembered step after a reload, as far as the server lets it", async () => {
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" });
    const history = createFakeHistory({ hash: "identity" });
    await openCheckout(service, { parts: { history } });
    await heading("Confirma tu identidad");
  });

  it("does not land on a step that the server has not opened", async () => {
    const history = createFakeHistory({ hash: "review" });
    await openCheckout(createFakeService(), { parts: { history } });
    await heading("Atiéndete ahora, paga después");
  });

  it("goes back until the payment, without losing what was typed", async () => {
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

  it("ends an onboarding without an order when a code to the mailbox has proved who signed up", async () => {
    const service = createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" });
    const { patient } = await openCheckout(service);
    await patient.fill("RUT", "40.100.000-3");
    await patient.register();
    await patient.answerCode();
    await heading("¡Listo! Ya estás inscrito");
    expect(screen.queryByText(/Guardamos tus datos y la clave de tu isapre/)).toBeNull();
  });

  it("tells that the isapre is linked where its password was given", async () => {
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

  it("whose answer was lost is found done when it is sent again, and is proved, and told to the page around", async () => {
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

  it("that meets a used token of which it knows nothing ends there, and so does one of another RUT", async () => {
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

describe("one's own data", () => {
  const open = () => act(() => screen.getByText("Mis datos").click());

  it("is asked for at the end by the RUT of the order, and the page learns nothing but that it was asked", async () => {
    const { service, patient } = await patientAtReview();
    await patient.pay();
    await patient.isDone();
    open();
    await patient.press("Enviarme el enlace");
    const said = await screen.findByRole("status");
    expect(said.textContent).toContain("Revisa tu correo");
    expect(document.activeElement).toBe(said);
    expect(service.callsTo("dataLink").map(({ body }) => body)).toEqual([{ rut: "40.100.000-3" }]);
    expect(screen.queryByRole("button", { name: "Enviarme el enlace" })).toBeNull();
  });

  it("is asked for by the RUT that was typed where there is no order", async () => {
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

  it("can be asked for again where the call did not arrive", async () => {
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
  it("are never ticked beforehand, and those that are required stop the way until they are", async () => {
    const { patient } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
    await patient.press("Continuar");
    const summary = await alert();
    expect(document.activeElement).toBe(summary);
    expect(within(summary).getByRole("link", { name: /Pidan el reembolso por mí/ })).toBeTruthy();
  });

  it("are sent with the version and hash of the texts that were shown, and only those that were given", async () => {
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

  it("ask for access to the isapre only where its password is given, and then need it", async () => {
    const { patient } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByText("Usen la clave de mi isapre", { selector: "label" })).toBeNull();
    await patient.openFold("Agregar la clave de tu isapre");
    await patient.fill("Clave de tu isapre", "secreta");
    expect(screen.getByText("Usen la clave de mi isapre", { selector: "label" })).toBeTruthy();
  });

  it("do not ask for marketing before a payment, only in a sign-up without one", async () => {
    const paying = await openCheckout(createFakeService());
    await paying.patient.acceptSummary();
    await heading("Tus datos");
    expect(screen.queryByRole("checkbox", { name: /Novedades/ })).toBeNull();
    paying.view.unmount();
    await openCheckout(createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" }));
    await heading("Tus datos");
    expect(screen.getByRole("checkbox", { name: /Novedades/ })).toBeTruthy();
  });

  it("of the payment are asked for where it is paid", async () => {
    const { service, patient } = await patientAtReview();
    await heading("Revisa y paga");
    expect(screen.getAllByRole("checkbox")).toHaveLength(2);
    await patient.pay();
    await patient.isDone();
    const [call] = service.callsTo("payment");
    expect(call?.body.consents).toHaveLength(2);
  });

  it("whose texts have changed are read again from the service and asked for anew", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "consents_missing" });
    await patient.pay();
    expect((await alert()).textContent).toContain("Falta tu autorización");
    expect(service.callsTo("session")).toHaveLength(1);
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
  });

  it("follow the texts that are agreed to, each to be read there", async () => {
    const { service, patient } = await patientAtReview();
    await heading("Revisa y paga");
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

  it("can be kept as a file after the payment", async () => {
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

  it("are given to the quote that was shown; one that has changed meanwhile is shown before it is paid", async () => {
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

describe("the patient's data", () => {
  it("are judged when sent: a summary leads to each field", async () => {
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

  it("take a RUT in any common form and judge it only when the field is left", async () => {
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

  it("are sent as they were understood, also a RUT that nobody has left yet", async () => {
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

  it("that the service refuses are marked at their field", async () => {
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

  it.each(["fonasa", "none"])("say at once that %s does not work, and lead back", async (insurer) => {
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

  it("send the isapre's password sealed for the insurer's connector, and in no other form", async () => {
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

  it("are sent without the isapre's password where it could not be sealed, and the form says when it is asked for", async () => {
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
  it("a refused document keeps the patient on the screen, registered, with the fault at the number alone", async () => {
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

  it("a document whose answer was lost is sent again alone, under the same key", async () => {
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

  it("is asked for on a screen of its own after a reload", async () => {
    const history = createFakeHistory({ hash: "patient" });
    await openCheckout(createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" }), { parts: { history } });
    await heading("Confirma tu identidad");
  });

  it("is not asked for by a sign-up without an order", async () => {
    await openCheckout(createFakeService({ order: null, order_token: null, quote: null, purpose: "onboarding" }));
    await heading("Tus datos");
    expect(screen.queryByLabelText(/Número de documento/)).toBeNull();
  });
});

describe("a patient without an isapre", () => {
  it("learns it from the first field, before anything is typed", async () => {
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

describe("what the clinic has told of the patient", () => {
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
    // Registered by now: only the document is left to give.
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

  it("that shows only when the order is to be paid is recovered too, and then paid", async () => {
    const readiness = { identity_validated: true, payment_method_added: true };
    const order = orderWith({ readiness, payment_method: VISA });
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", order });
    const { patient } = await openCheckout(service);
    await heading("Revisa y paga");
    service.fail("payment", COLLISION, COLLISION);
    await patient.pay();
    await heading("Tu RUT ya está registrado");
    expect(screen.queryByText(/Paso 0/)).toBeNull();
    // There is no form in this visit where it could be corrected.
    await patient.press(/Escribí mal mi RUT/);
    await heading("Revisa y paga");
    await patient.press(/^Pagar/);
    await heading("Tu RUT ya está registrado");
    await patient.press(/Recibir un código/);
    await heading("Escribe el código");
    await patient.fill("Código de 6 dígitos", "123456");
    await patient.press("Confirmar");
    await heading("Revisa y paga");
    // What was agreed to stays agreed to.
    await patient.press(/^Pagar/);
    await patient.isDone();
    expect(service.callsTo("verify")[0]?.body.rut).toBe(order.customer.rut);
    expect(service.charges()).toBe(1);
  });

  it("is recovered with what was typed and ticked: the password, sealed, and the consents", async () => {
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

  it("whose consents have changed meanwhile asks for them where they are", async () => {
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

  it("gets another code: it is announced, the old one goes, and the focus is on the field", async () => {
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

  it("says how many tries a wrong code leaves", async () => {
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

  it("says after the last try what to do next, not to type it once more", async () => {
    const { service, patient } = await collided();
    service.fail("verify", { code: "recovery_code_invalid", additions: { attempts_left: 0 } });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "000000");
    await patient.press("Confirmar");
    const said = (await alert()).textContent;
    expect(said).toContain("Ya no te quedan intentos. Pide uno nuevo.");
    expect(said).not.toContain("escríbelo otra vez");
  });

  it("marks a document that does not belong to it", async () => {
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

  it("offers the ways again when the code has expired", async () => {
    const { service, patient } = await collided();
    service.fail("verify", { code: "recovery_code_expired" });
    await patient.press(/Recibir un código/);
    await patient.fill("Código de 6 dígitos", "000000");
    await patient.press("Confirmar");
    expect((await alert()).textContent).toContain("El código venció");
    await heading("Tu RUT ya está registrado");
  });

  it("leads back to the form where the RUT was mistyped", async () => {
    const { patient } = await collided();
    await patient.press(/Escribí mal mi RUT/);
    await heading("Tus datos");
  });
});

describe("the identity", () => {
  it("is not sent where the number cannot be one", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    await patient.proveIdentity("12345");
    expect((await alert()).textContent).toContain("9 dígitos");
    expect(service.callsTo("identity")).toHaveLength(0);
  });

  it("that is rejected says how many tries are left, and the right number goes on", async () => {
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

  it("is judged by the service where the number has a format that the browser does not know", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    await patient.proveIdentity("ab12.345.678-90");
    await heading("Tu tarjeta");
    expect(service.callsTo("identity")).toHaveLength(1);
  });

  it.each([
    ["identity_document_not_valid", "no está vigente"],
    ["identity_registry_unavailable", "El Registro Civil no responde"],
  ] as const)("tells what to do about %s", async (code, words) => {
    const { service, patient } = await knownPatientAtIdentity();
    service.fail("identity", { code });
    await patient.proveIdentity();
    expect((await alert()).textContent).toContain(words);
  });

  it("tells after too many tries when the next one is possible", async () => {
    const { service, patient } = await knownPatientAtIdentity();
    service.fail("identity", {
      code: "identity_attempts_exhausted",
      additions: { attempts_left: 0, retry_after_seconds: 1_790 },
    });
    await patient.proveIdentity();
    expect((await alert()).textContent).toContain("Podrás probar en 30 minutos.");
  });

  it("is asked again under the same key when the answer was lost, so that no try is spent twice", async () => {
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
  it("is sealed for the card processor and this order, and sent in no other form", async () => {
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

  it("whose check digit is wrong is doubted aloud and goes to the processor all the same", async () => {
    const { service, patient, user } = await patientAtCard();
    await patient.fill("Número de tarjeta", "4511346660037060");
    const said = screen.getByRole("status");
    expect(said.textContent).toBe("");
    await user.tab();
    await waitFor(() => expect(said.textContent).toMatch(/parece tener un error/));
    await patient.addCard("4511346660037060");
    await heading("Revisa y paga");
    expect(service.callsTo("card")).toHaveLength(1);
  });

  it("that is incomplete is not sent, and each fault is named", async () => {
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
    ["security_code_wrong", "código de seguridad no es correcto"],
  ] as const)("that is declined for %s says why, and another one goes on", async (decline_reason, words) => {
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
  ] as const)("tells what to do about %s", async (code, words) => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code });
    await patient.addCard();
    expect((await alert()).textContent).toContain(words);
  });

  it.each([
    ["card_processor_unavailable", "4051 8856 0044 6623"],
    ["card_declined", ""],
  ] as const)("is typed anew only where it will not do: %s", async (code, left) => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code });
    await patient.addCard();
    await alert();
    expect(screen.getByLabelText<HTMLInputElement>("Número de tarjeta").value).toBe(left);
  });

  it("whose key could not be had when the page was opened is sealed with the one that is asked for at its step", async () => {
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

  it("that is being typed stands when its key comes late, and is let go for another key", async () => {
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

  it("that was sealed too long ago has the server's time and keys read again before another is typed", async () => {
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

  it("leads to the identity where that is missing after all", async () => {
    const { service, patient } = await patientAtCard();
    service.fail("card", { code: "processor_customer_identity_not_validated" });
    await patient.addCard();
    await heading("Confirma tu identidad");
  });

  it("can be changed until the payment, or kept", async () => {
    const { patient } = await patientAtReview();
    await patient.press(/Cambiar/);
    await heading("Tu tarjeta");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Otra tarjeta" }).checked).toBe(true);
    await patient.chooseCard(/Visa terminada en 6623/);
    await heading("Revisa y paga");
  });
});

describe("the payment", () => {
  it("of twenty clicks with the first answer lost is one charge, and ends on the receipt", async () => {
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
  ] as const)("that is cut %s is asked about until its true state is known", async (_when, fault) => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", fault, fault);
    await patient.pay();
    await patient.isDone();
    expect(service.charges()).toBe(1);
  });

  it("that is still processing is asked about until it is known", async () => {
    const { service, patient } = await patientAtReview();
    service.answer("payment", { order: service.order(), payment: { status: "processing" } });
    await patient.pay();
    await patient.isDone();
    expect(service.callsTo("payment")).toHaveLength(2);
  });

  it.each([
    ["amount", "límite menor que este monto"],
    ["uses", "máximo de usos"],
  ] as const)(
    "whose card is beyond its limit of %s says so and what to do, and another one pays",
    async (limit, words) => {
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
    },
  );

  it("declined for funds names card and amount, and the same card can pay after another press of Pagar", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "card_declined", additions: { decline_reason: "insufficient_funds" } });
    await patient.pay();
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toMatch(/Tu banco rechazó la Visa ••6623 por \$13.786/);
    expect(screen.queryByText(/una sola vez/)).toBeNull();
    await patient.press("Reintentar con Visa ••6623");
    expect(service.callsTo("payment")).toHaveLength(1);
    await patient.press(/^Pagar/);
    await patient.isDone();
  });

  it.each(["declined", "card_lost_or_stolen", "card_expired"] as const)(
    "declined for good (%s) offers the same card no more, also after the next card could not be sent",
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

  it("whose card is declined goes to the card, says why, and another one pays under a new key", async () => {
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

  it("whose credit is refused ends with the written reasons", async () => {
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
  ] as const)("whose credit is refused says what became of the first charge: %s", async (first_instalment, text) => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "credit_declined", additions: { reasons: [], first_instalment } });
    await patient.pay();
    await heading("El crédito no fue aprobado");
    expect(screen.getByText(text)).toBeTruthy();
  });

  it("leads to the card where that is missing after all", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "processor_payment_method_not_found" });
    await patient.pay();
    await heading("Tu tarjeta");
    expect((await alert()).textContent).toContain("Primero agrega tu tarjeta");
  });

  it("of an order that cannot be paid any more ends there", async () => {
    const { service, patient } = await patientAtReview();
    service.fail("payment", { code: "order_not_payable" });
    await patient.pay();
    await heading("Esta orden ya no se puede pagar");
  });
});

describe("a visit that comes back to a payment", () => {
  it("which is under way shows that it is, until its end is known", async () => {
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

  it("whose credit was refused shows the reasons again, though there is no offer any more", async () => {
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
    "whose credit was refused is asked about again after %s, until the reasons are told",
    async (_after, fault) => {
      const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", quote: null });
      const reasons = ["Tu renta informada no alcanza."];
      service.fail("inquiry", fault, fault, { code: "credit_declined", additions: { reasons } });
      await openCheckout(service);
      await heading("El crédito no fue aprobado");
      expect(screen.getByText("Tu renta informada no alcanza.")).toBeTruthy();
    },
  );

  it("of which nothing is told for long is said to take long; and at first that it is asked about, not that an answer was lost", async () => {
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
    // It is asked on, and what is told then is shown.
    service.fail("inquiry", { code: "credit_declined", additions: { reasons: ["Tu renta informada no alcanza."] } });
    act(() => goOn.at(-1)?.());
    await heading("El crédito no fue aprobado");
  });

  it("whose credit was refused is asked about once the code for it has come, after a failure too", async () => {
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

  it("which ends declined meanwhile says so, not that consents are missing", async () => {
    const service = createFakeService({
      event_type: "SPOT_USER_SUBSCRIBED",
      order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
    });
    // The second question finds no attempt under way, and brings no consents.
    service.answer("inquiry", { order: service.order(), payment: { status: "processing" } });
    await openCheckout(service);
    await heading("Usa otra tarjeta");
    const said = (await alert()).textContent;
    expect(said).toContain("No se cobró nada");
    expect(said).not.toContain("Falta tu autorización");
    expect(service.callsTo("inquiry")).toHaveLength(2);
  });

  it("that nobody began leaves the patient where they are, and can never begin one", async () => {
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

  it("opens the bank's page in a dialog, and its end asks the service under the same key", async () => {
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

  it("that ends before the service knows how is asked about until it knows", async () => {
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

  it("asks with what the payment began with, whatever a fresh token brings meanwhile", async () => {
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

  it("that was left and is declined later leaves the next card another attempt", async () => {
    const { service, patient } = await patientAtReview();
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    service.answer("inquiry", { order: service.order(), payment: { status: "processing" } });
    await patient.press("Salir sin confirmar");
    await heading("Usa otra tarjeta");
    await patient.addCard();
    await heading("Revisa y paga");
    // What was agreed to stays agreed to.
    await patient.press(/^Pagar/);
    await patient.isDone();
    const keys = service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(2);
  });

  const openTab = () => screen.queryByRole("link", { name: "Ábrela en otra pestaña" });

  it("whose page does not show itself is offered in a tab, and the service is asked how it ends", async () => {
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

  it("whose page shows itself is offered nowhere else, however long it is open; the word of another page is none", async () => {
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

  it("believes nobody but the bank's frame", async () => {
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

  it("that is left goes back to the last step, promises nothing about the charge, and can be taken up again", async () => {
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

  it("that is left after it was confirmed elsewhere is asked about until the payment is there", async () => {
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
    ["when it has ended without one", { code: "consents_missing" }, "Tu banco rechazó la"],
  ] as const)("that is left, and is then declined, says so %s, and another card may pay", async (_how, fault, said) => {
    const { service, patient } = await patientAtReview();
    await waitFor(() => expect(service.callsTo("inquiry")).toHaveLength(1));
    challenge(service);
    await patient.pay();
    await screen.findByRole("dialog");
    service.fail("inquiry", fault);
    await patient.press("Salir sin confirmar");
    await heading("Usa otra tarjeta");
    expect((await alert()).textContent).toContain(said);
    await patient.addCard();
    await patient.press(/^Pagar/);
    await patient.isDone();
    // Under the key of the attempt that has ended the service would only tell of it again.
    const keys = service.callsTo("payment").map((call) => call.headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(2);
  });

  it("that is left is asked about no more once another card was given", async () => {
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

describe("a network that is gone", () => {
  const steps: readonly (readonly ["user" | "identity" | "card", (patient: Patient) => Promise<void>])[] = [
    ["user", (patient) => patient.register()],
    ["identity", (patient) => patient.proveIdentity()],
    ["card", (patient) => patient.addCard()],
  ];

  it.each(steps)("at %s is said, keeps what was typed, and the next try goes on", async (step, act) => {
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

  it("while the later screens load says so and offers to try again", async () => {
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

  it("while the later screens load opens the page anew where the browser keeps the failure, once it can be had", async () => {
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
