import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { type InstalmentStatus, instalmentStatusSchema } from "bff/contract/orders";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { downloadFiles } from "../../test/download-files.ts";
import { createFakeHost } from "../../test/fake-host.ts";
import { createFakeService, type FakeService } from "../../test/fake-service.ts";
import { openCheckout, partsFor } from "../../test/open-checkout.tsx";
import {
  collectedOrder,
  orderWith,
  paidOrder,
  paidPlan,
  partlyRefundedOrder,
  partlyReturnedOrder,
  problemWith,
  upcomingWith,
  VISA,
} from "../gallery/recorded-answers.ts";
import { createSessionClock } from "./session-clock.ts";
import { RENEWED } from "./use-renewal.ts";

const FRESH_TOKEN = "0b7a4f0e-1111-4222-8333-44445555aaaa";
const heading = (name: string | RegExp) => screen.findByRole("heading", { level: 1, name });

function serviceAtReview(overrides: Parameters<typeof createFakeService>[0] = {}) {
  return createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({ readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA }),
    parent_origins: ["https://clinic.example"],
    ...overrides,
  });
}

function serviceAtCard(
  readiness: { readonly payment_method_added: boolean },
  card_entry: "fields" | "page" = "fields",
) {
  const { insurer_access } = createFakeService().session().sealing_keys;
  return createFakeService({
    event_type: "SPOT_USER_SUBSCRIBED",
    order: orderWith({
      readiness: { identity_validated: true, ...readiness },
      payment_method: readiness.payment_method_added ? VISA : null,
    }),
    sealing_keys: { card: null, insurer_access },
    card_entry,
  });
}

/** A page that stays hidden until `see` is called, `seenAfterMs` after it was fetched. */
function unseen(service: FakeService, seenAfterMs = 60_001) {
  let see = (): void => undefined;
  let elapsedMs = 0;
  const seen = new Promise<void>((resolve) => {
    see = resolve;
  });
  const clock = createSessionClock(service.session().server_time, [() => elapsedMs]);
  return {
    parts: { seen, clock },
    see: () => {
      elapsedMs = seenAfterMs;
      see();
    },
  };
}

describe("the way back to the clinic", () => {
  const RETURN_URL = "cl.clinic.app:/paid";

  it.each([
    ["after the payment", paidOrder()],
    ["after a refund", partlyRefundedOrder()],
  ])("leads from a top-level page to the registered address: %s", async (_when, order) => {
    const assign = vi.spyOn(location, "assign").mockImplementation(() => undefined);
    const { patient } = await openCheckout(createFakeService({ order, quote: null, return_url: RETURN_URL }));
    await patient.press(/^Volver a /);
    expect(assign.mock.calls).toEqual([[RETURN_URL]]);
    assign.mockRestore();
  });

  it("is available for an expired or used link", async () => {
    for (const problem of [
      problemWith("widget_token_expired"),
      problemWith("widget_token_used", { order: paidOrder() }),
    ]) {
      const { view } = await openCheckout(createFakeService(), {
        state: { problem: { ...problem, return_url: RETURN_URL } },
      });
      expect(screen.getByRole("button", { name: /^Volver a / })).toBeTruthy();
      view.unmount();
    }
  });

  it("is replaced by a note that the page can be closed when no address is registered", async () => {
    const closable = () => screen.queryByText(/uedes cerrar esta página\.$/)?.textContent ?? "";
    const missing = paidOrder({ missing_step: "insurer_access" });
    for (const [around, order, text] of [
      [{}, paidOrder(), /^Ya puedes cerrar/],
      [{}, partlyRefundedOrder(), /^Ya puedes cerrar/],
      [{}, missing, /^Cuando termines, puedes cerrar/],
      [{ return_url: RETURN_URL }, paidOrder(), /^$/],
    ] as const) {
      const { view } = await openCheckout(createFakeService({ order, quote: null, ...around }));
      await screen.findByRole("button", { name: "Descargar comprobante (PDF)" });
      expect(closable()).toMatch(text);
      view.unmount();
    }
    const used = { problem: problemWith("widget_token_used", { order: paidOrder() }) };
    await openCheckout(createFakeService(), { state: used });
    expect(closable()).toMatch(/^Ya puedes cerrar/);
  });

  it("is absent without an address, and reported to a listening app", async () => {
    const assign = vi.spyOn(location, "assign").mockImplementation(() => undefined);
    const { view } = await openCheckout(createFakeService({ order: paidOrder(), quote: null }));
    expect(screen.queryByRole("button", { name: /^Volver a / })).toBeNull();
    view.unmount();
    const app = createFakeHost({ framed: false });
    const service = createFakeService({ order: paidOrder(), quote: null, return_url: RETURN_URL, native: true });
    const { patient } = await openCheckout(service, { parts: { connect: app.connect } });
    await patient.press(/^Volver a /);
    expect(app.sent("close_requested")).toHaveLength(1);
    expect(app.natives).toEqual([true]);
    expect(assign).not.toHaveBeenCalled();
    assign.mockRestore();
  });
});

describe("messages to the embedding page", () => {
  it("report the first screen, each step and the payment without personal data", async () => {
    const host = createFakeHost();
    const service = createFakeService({ parent_origins: ["https://clinic.example"] });
    const { patient } = await openCheckout(service, { parts: { connect: host.connect } });
    await patient.acceptSummary();
    await patient.register();
    await patient.addCard();
    await patient.pay();
    await patient.isDone();
    expect(host.origins).toEqual([["https://clinic.example"]]);
    expect(host.heard[0]).toEqual({ type: "ready", payload: {} });
    expect(host.sent("step").map(({ payload }) => payload)).toEqual(
      ["summary", "patient", "card", "review"].map((name, at) => ({ name, index: at + 1, count: 4 })),
    );
    expect(host.sent("completed")).toEqual([
      {
        type: "completed",
        payload: { kind: "payment", order_token: service.session().order_token, status: "paid", signed_receipt: null },
      },
    ]);
  });

  it("carry the signed receipt once, however often the order is read", async () => {
    const service = createFakeService({ order: paidOrder({ signed_receipt: "a.b.c" }) });
    const host = createFakeHost();
    await openCheckout(service, { parts: { connect: host.connect } });
    await waitFor(() => expect(host.sent("completed")).toHaveLength(1));
    expect(host.sent("completed")[0]?.payload).toMatchObject({ kind: "payment", signed_receipt: "a.b.c" });
  });

  it("a page shown within a minute keeps its session", async () => {
    const service = createFakeService();
    const { parts, see } = unseen(service, 60_000);
    const { patient } = await openCheckout(service, { parts });
    await act(async () => see());
    await patient.tickAll();
    await patient.press("Continuar");
    await heading("Tus datos");
    expect(service.calls).toEqual([]);
  });

  it("a page shown within a minute inquires about a payment at once", async () => {
    const service = serviceAtReview();
    const { parts, see } = unseen(service, 60_000);
    await openCheckout(service, { parts });
    await heading("Revisa y paga");
    expect(service.calls).toEqual([]);
    await act(async () => see());
    await waitFor(() => expect(service.calls).toHaveLength(1));
    expect(service.callsTo("inquiry")).toHaveLength(1);
  });

  it("a hidden page requests nothing until it is shown, and then the current session once", async () => {
    const service = createFakeService();
    const { parts, see } = unseen(service);
    await openCheckout(service, { parts });
    expect(service.calls).toEqual([]);
    await act(async () => see());
    await waitFor(() => expect(service.callsTo("session")).toHaveLength(1));
    expect(service.calls).toHaveLength(1);
  });

  it.each([
    ["at the review", serviceAtReview, "inquiry"],
    ["at the card's step with a card", () => serviceAtCard({ payment_method_added: true }), "inquiry"],
    ["at the card's step without its key", () => serviceAtCard({ payment_method_added: false }), "session"],
    ["where the card is given on a page", () => serviceAtCard({ payment_method_added: false }, "page"), "cardPage"],
  ] as const)(
    "a hidden page requests nothing until it is shown, also if it opens %s",
    async (_where, serviceThere, asked) => {
      const service = serviceThere();
      const { parts, see } = unseen(service);
      await openCheckout(service, { parts });
      await heading(/^(Tu tarjeta|Revisa y paga)$/);
      await act(async () => undefined);
      expect(service.calls).toEqual([]);
      await act(async () => see());
      await waitFor(() => expect(service.callsTo(asked).length).toBeGreaterThan(0));
      // First refetches data that may have changed since the page was fetched.
      expect(service.calls[0]).toBe(service.callsTo("session")[0]);
    },
  );

  it("a page shown late inquires about the payment when the order can no longer be paid", async () => {
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" });
    const { parts, see } = unseen(service);
    await openCheckout(service, { parts });
    await heading("Atiéndete ahora, paga después");
    service.replaceSession({ quote: null });
    service.fail("inquiry", { code: "order_not_payable" });
    await act(async () => see());
    await heading("Esta orden ya no se puede pagar");
  });

  it("report an error by code, audience and whether it is recoverable", async () => {
    const host = createFakeHost();
    const service = serviceAtReview();
    service.fail("payment", { code: "card_declined", additions: { decline_reason: "declined" } });
    const { patient } = await openCheckout(service, { parts: { connect: host.connect } });
    await patient.pay();
    await heading("Usa otra tarjeta");
    expect(host.sent("error").map(({ payload }) => payload)).toEqual([
      { code: "card_declined", audience: "patient", recoverable: true, trace_id: "req_1" },
    ]);
  });

  it("report a refused credit by its code as not recoverable, without the reasons", async () => {
    const host = createFakeHost();
    const service = serviceAtReview();
    service.fail("payment", { code: "credit_declined", additions: { reasons: ["Tu renta no alcanza."] } });
    const { patient } = await openCheckout(service, { parts: { connect: host.connect } });
    await patient.pay();
    await heading("El crédito no fue aprobado");
    expect(host.sent("error").map(({ payload }) => payload)).toEqual([
      { code: "credit_declined", audience: "patient", recoverable: false, trace_id: "req_1" },
    ]);
    expect(JSON.stringify(host.heard)).not.toContain("renta");
  });

  it("request room for the bank's page, and release it", async () => {
    const host = createFakeHost();
    const service = serviceAtReview();
    const challenged = {
      status: "requires_action",
      action: { type: "challenge", url: "https://bank.example/1", expires_at: "2026-11-21T15:30:00.000Z" },
    };
    service.answer("payment", { order: service.order(), payment: challenged });
    const wait = () => new Promise<void>(() => undefined);
    const { patient } = await openCheckout(service, { parts: { connect: host.connect }, wait });
    await patient.pay();
    await screen.findByRole("dialog");
    // The bank is still waiting for the patient.
    service.answer("inquiry", { order: service.order(), payment: challenged });
    await patient.press("Salir sin confirmar");
    await heading("Revisa y paga");
    expect(host.heard.map(({ type }) => type).filter((type) => type.endsWith("_dialog"))).toEqual([
      "open_dialog",
      "close_dialog",
    ]);
  });

  it("report why a page has no session, and a request to close", async () => {
    const host = createFakeHost();
    const state = { problem: problemWith("widget_token_used", { order: orderWith({ status: "paid" }) }) };
    const { patient } = await openCheckout(createFakeService(), { state, parts: { connect: host.connect } });
    await heading("Este pago ya está hecho");
    expect(host.sent("error")).toEqual([]);
    await patient.press(/^Volver a/);
    expect(host.sent("close_requested")).toHaveLength(1);
  });
});

describe("the outcome of a used checkout", () => {
  const open = (order: ReturnType<typeof paidOrder>) =>
    openCheckout(createFakeService(), { state: { problem: problemWith("widget_token_used", { order }) } });
  /** The receipt's value for a label. */
  const amountOf = (label: string) => screen.getByText(label, { selector: "dt" }).nextElementSibling?.textContent;

  it("dates the receipt with the day of the payment, whatever changed the order since", async () => {
    await open(collectedOrder());
    await heading("Este pago ya está hecho");
    expect(screen.getByText("21 de noviembre de 2026, 12:21")).toBeTruthy();
    expect(screen.getByRole("region", { name: "Comprobante · Pagado" })).toBeTruthy();
    expect(screen.queryByText(/Pagado hoy/)).toBeNull();
  });

  it("offers the receipt, the contract and the calendar entry as files", async () => {
    const service = createFakeService();
    const order = paidOrder();
    const state = { problem: problemWith("widget_token_used", { order }) };
    const { patient } = await openCheckout(service, { state });
    await downloadFiles(patient);
    expect(service.callsTo("file").map(({ path }) => path)).toEqual(
      ["receipt", "agreement", "calendar"].map((document) => `/orders/${order.hash}/${document}/file`),
    );
    vi.restoreAllMocks();
  });

  it("offers no calendar entry without an upcoming charge", async () => {
    await open(collectedOrder());
    await heading("Este pago ya está hecho");
    expect(screen.getByRole("button", { name: "Descargar comprobante (PDF)" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Agregar al calendario" })).toBeNull();
  });

  it("shows a refund deducted from the later charge, with the remaining charge and no card refund", async () => {
    await open(partlyRefundedOrder());
    await heading("Pago con devolución parcial");
    expect(screen.getByText(/^Segundo cobro de \$24\.683, a más tardar el/)).toBeTruthy();
    expect(screen.getByText(/se descuenta primero del segundo cobro/)).toBeTruthy();
    expect(screen.queryByText(/devolvimos|[Dd]evuelto/)).toBeNull();
    expect(amountOf("Parte financiada")).toBe("$22.166");
    expect(amountOf("Pagas en total")).toBe("$38.469");
  });

  it("names no second charge for a refund after a write-off", async () => {
    const upcoming_charge = upcomingWith({ status: "none", amount: 0, commission: 0, day: null });
    const refunded = { status: "partially_refunded", refunded_amount: 10_000, deferred_cancelled: 10_000 } as const;
    await open(paidOrder({ ...refunded, plan: paidPlan("failed", 2_517), upcoming_charge }));
    await heading("Pago con devolución parcial");
    expect(screen.queryByText(/se descuenta primero del segundo cobro/)).toBeNull();
  });

  it("shows the amount returned to the card for a refund after the later charge", async () => {
    await open(partlyReturnedOrder());
    await heading("Pago con devolución parcial");
    expect(screen.getByText(/Te devolvimos \$10\.700\. Puede tardar unos días en verse en tu tarjeta/)).toBeTruthy();
    expect(screen.queryByText(/se descuenta primero/)).toBeNull();
    expect(screen.queryByText(/^Segundo cobro de/)).toBeNull();
    expect([amountOf("Pagas en total"), amountOf("Devuelto a tu tarjeta")]).toEqual(["$49.169", "$10.700"]);
  });

  const LATER = {
    pending: null,
    scheduled: /^Segundo cobro de \$35\.383, a más tardar el/,
    captured: /El segundo cobro ya se hizo\. No habrá más/,
    collected: /El segundo cobro ya se hizo\. No habrá más/,
    failed: /No pudimos hacer el segundo cobro, de \$35\.383, y sigue pendiente\. Para pagarlo, ingresa otra tarjeta/,
    cancelled: /No habrá segundo cobro/,
    refunded: /El segundo cobro ya se hizo\. No habrá más/,
  } as const satisfies Record<InstalmentStatus, RegExp | null>;

  it.each(Object.entries(LATER))("shows the later charge in the state %s", async (status, text) => {
    await open(paidOrder({ plan: paidPlan(instalmentStatusSchema.parse(status)) }));
    await heading(status === "failed" ? "Falta el segundo cobro" : "Este pago ya está hecho");
    for (const other of Object.values(LATER)) {
      if (other !== null) expect(screen.queryAllByText(other)).toHaveLength(String(other) === String(text) ? 1 : 0);
    }
  });

  it("announces no charge after a withdrawal: the patient pays the rest", async () => {
    await open(paidOrder({ mandate_revoked: true }));
    await heading("Este pago ya está hecho");
    expect(screen.queryByText(/^Segundo cobro de|^En tu tarjeta/)).toBeNull();
    expect(screen.getByText(/^Te queda por pagar \$35\.383, a más tardar el/)).toBeTruthy();
    expect(screen.getByText("No cobraremos más tu tarjeta. Por correo te decimos cómo pagar.")).toBeTruthy();
  });

  const DAY = { amount: 35_383, commission: 2_517, day: "2026-11-24", reason: "approved" } as const;
  const NO_DAY = { ...DAY, day: null };

  it.each([
    [{ ...DAY, status: "due_now" }, /^Segundo cobro de \$35\.383, el 24 de noviembre de 2026$/],
    [{ ...DAY, status: "on_day" }, /^Segundo cobro de \$35\.383, el 24 de noviembre de 2026$/],
    [{ ...DAY, status: "by_day" }, /^Segundo cobro de \$35\.383, a más tardar el 24 de noviembre de 2026$/],
    // A refund that waits for the charge has reduced the rest.
    [{ ...NO_DAY, status: "in_flight", amount: 24_683 }, /^Segundo cobro de \$24\.683, en curso$/],
    [{ ...NO_DAY, status: "on_hold", amount: 0 }, /^Segundo cobro, sin fecha por ahora$/],
    [{ ...NO_DAY, status: "card_needed" }, /^Te queda por pagar \$35\.383, a más tardar el 5 de enero de 2027$/],
    [{ ...NO_DAY, status: "none", amount: 0 }, null],
  ] as const)("shows the upcoming charge by its state: %j", async (upcoming, text) => {
    // Also after a withdrawal, because a charge in flight is completed anyway.
    for (const mandate_revoked of [false, true]) {
      await open(paidOrder({ upcoming_charge: upcoming, mandate_revoked }));
      await heading("Este pago ya está hecho");
      expect(screen.queryAllByText(/^Segundo cobro|^Te queda por pagar/)).toHaveLength(text === null ? 0 : 1);
      if (text !== null) expect(screen.getByText(text)).toBeTruthy();
      cleanup();
    }
  });

  it("shows the latest day when a process of the previous version answers", async () => {
    const { upcoming_charge: _, ...before } = paidOrder();
    await open(before);
    await heading("Este pago ya está hecho");
    expect(screen.getByText(/^Segundo cobro de \$35\.383, a más tardar el 5 de enero de 2027$/)).toBeTruthy();
  });

  it("requests no payment after a write-off", async () => {
    const upcoming_charge = { ...NO_DAY, status: "none", amount: 0, commission: 0 } as const;
    await open(paidOrder({ plan: paidPlan("failed"), upcoming_charge }));
    await heading("Este pago ya está hecho");
    expect(screen.getByText(/No habrá segundo cobro/)).toBeTruthy();
    expect(screen.queryByText(/sigue pendiente|debiendo/)).toBeNull();
  });

  it("shows a debt, not a failed charge, when the rest became due after a withdrawal", async () => {
    await open(paidOrder({ plan: paidPlan("failed"), mandate_revoked: true }));
    await heading("Te queda un pago pendiente");
    expect(screen.queryByText(/segundo cobro/)).toBeNull();
    expect(
      screen.getByText(/Retiraste la autorización para cobrar tu tarjeta y sigues debiendo \$35\.383/),
    ).toBeTruthy();
  });

  it("announces the later charge only until it is made", async () => {
    const waiting = await open(paidOrder());
    await heading("Este pago ya está hecho");
    expect(screen.getByText(/^Segundo cobro de/)).toBeTruthy();
    waiting.view.unmount();
    await open(collectedOrder());
    await heading("Este pago ya está hecho");
    expect(screen.queryByText(/^Segundo cobro de/)).toBeNull();
    // The amount paid that day, whatever has been captured since.
    expect(document.querySelector("#receipt-heading + p")?.textContent).toBe("$13.786");
  });
});

describe("messages from the embedding page", () => {
  it("switch the language at any time", async () => {
    const host = createFakeHost();
    await openCheckout(createFakeService(), { parts: { connect: host.connect } });
    host.say({ type: "hello", payload: { mode: "inline", locale: "en" } });
    await heading("Get care now, pay later");
    expect([document.documentElement.lang, document.title]).toEqual(["en", expect.stringContaining("Get care now")]);
    host.say({ type: "locale", payload: { locale: "es-CL" } });
    await heading("Atiéndete ahora, paga después");
    // The language in which a screen reader pronounces the page.
    expect(document.documentElement.lang).toBe("es-CL");
  });

  it("switch the language, while consents keep theirs for screen readers", async () => {
    const host = createFakeHost();
    const { patient } = await openCheckout(createFakeService(), { parts: { connect: host.connect } });
    await patient.acceptSummary();
    host.say({ type: "locale", payload: { locale: "en" } });
    await heading("Your details");
    expect(screen.getByText(/^Doy mandato para pedir/).lang).toBe("es-CL");
  });

  it("leave the language that the patient chose before a reload, until the page itself changes it", async () => {
    const service = createFakeService();
    const before = await openCheckout(service, { parts: { connect: createFakeHost().connect } });
    await before.user.click(await screen.findByRole("button", { name: "English" }));
    await heading("Get care now, pay later");
    await waitFor(() => expect(service.session().locale_chosen).toBe(true));
    before.view.unmount();
    const host = createFakeHost();
    await openCheckout(service, { parts: { connect: host.connect } });
    host.say({ type: "hello", payload: { mode: "inline", locale: "es-CL" } });
    host.say({ type: "appearance", payload: { radius: "none" } });
    await waitFor(() => expect(document.querySelector(".aapd-frame")?.getAttribute("data-radius")).toBe("none"));
    expect(document.documentElement.lang).toBe("en");
    host.say({ type: "locale", payload: { locale: "es-CL" } });
    await heading("Atiéndete ahora, paga después");
  });

  it("close the dialog at once while nothing is typed, and ask first afterwards", async () => {
    const host = createFakeHost();
    const { patient, user } = await openCheckout(createFakeService(), { parts: { connect: host.connect } });
    host.say({ type: "host_closing", payload: {} });
    expect(host.sent("close_requested")).toHaveLength(1);
    await patient.acceptSummary();
    await heading("Tus datos");
    await patient.fill("Número de documento", "123");
    await user.tab();
    host.say({ type: "host_closing", payload: {} });
    const question = await screen.findByRole("alert");
    expect([question.textContent, document.activeElement === question]).toEqual([
      expect.stringContaining("¿Salir y borrar lo que escribiste?"),
      true,
    ]);
    await user.click(screen.getByRole("button", { name: "Seguir aquí" }));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>("Número de documento").value).toBe("123");
    expect(host.sent("close_requested")).toHaveLength(1);
    host.say({ type: "host_closing", payload: {} });
    await user.click(await screen.findByRole("button", { name: "Salir" }));
    expect(host.sent("close_requested")).toHaveLength(2);
  });

  it("override the provider's look, and its colour only if white text is readable on it", async () => {
    const host = createFakeHost();
    const { view } = await openCheckout(createFakeService(), { parts: { connect: host.connect } });
    const frame = () => view.container.querySelector<HTMLElement>(".aapd-frame");
    host.say({ type: "appearance", payload: { accent: "#6a1b9a", radius: "none", color_scheme: "dark" } });
    expect(frame()?.dataset).toMatchObject({ scheme: "dark", radius: "none" });
    expect(frame()?.dataset).toMatchObject({ density: "comfortable", labels: "above" });
    host.say({ type: "appearance", payload: { density: "compact", labels: "inside" } });
    expect(frame()?.dataset).toMatchObject({ radius: "none", density: "compact", labels: "inside" });
    expect(frame()?.style.getPropertyValue("--partner-accent")).toBe("#6a1b9a");
    host.say({ type: "appearance", payload: { accent: "#ffd400" } });
    expect(frame()?.style.getPropertyValue("--partner-accent")).toBe("");
  });

  it("keep the provider's stored colour when the new one is unreadable", async () => {
    const host = createFakeHost();
    const service = createFakeService();
    const { provider } = service.session();
    service.replaceSession({ provider: { ...provider, appearance: { accent: "#6a1b9a" } } });
    const { view } = await openCheckout(service, { parts: { connect: host.connect } });
    host.say({ type: "appearance", payload: { accent: "#ffd400" } });
    const frame = view.container.querySelector<HTMLElement>(".aapd-frame");
    expect(frame?.style.getPropertyValue("--partner-accent")).toBe("#6a1b9a");
  });
});

describe("an expiring token", () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A visit whose token has four minutes left, on a clock that the test moves. */
  async function expiring(service = serviceAtReview({ expires_at: "2026-11-21T15:24:00.000Z" })) {
    let elapsed = 0;
    const host = createFakeHost();
    const clock = createSessionClock(service.session().server_time, [() => elapsed]);
    const kept: string[] = [];
    const parts = {
      ...partsFor(service),
      connect: host.connect,
      clock,
      keepToken: (token: string) => void kept.push(token),
    };
    const opened = await openCheckout(service, { parts });
    const pass = async (minutes: number): Promise<void> => {
      elapsed += minutes * 60_000;
      await act(() => vi.advanceTimersByTimeAsync(minutes * 60_000));
    };
    return { service, host, kept, pass, ...opened };
  }

  it("is announced five minutes before, and a fresh one is requested", async () => {
    const { host } = await expiring();
    expect(await screen.findByText("Tu sesión vence en 4 minutos.")).toBeTruthy();
    expect(host.sent("token_expiring")).toHaveLength(1);
    expect(host.sent("request_token")).toHaveLength(1);
  });

  it("is replaced by a fresh one, and the form keeps its input", async () => {
    const service = createFakeService({ expires_at: "2026-11-21T15:24:00.000Z" });
    const { host, kept, patient } = await expiring(service);
    await patient.acceptSummary();
    await patient.press("Editar");
    await patient.fill("Correo electrónico", "otra@example.com");
    service.replaceSession({ expires_at: "2026-11-21T16:20:00.000Z" });
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    await waitFor(() => expect(screen.queryByText(/Tu sesión vence/)).toBeNull());
    expect(kept).toEqual([FRESH_TOKEN]);
    expect(screen.getByDisplayValue("otra@example.com")).toBeTruthy();
    await patient.register();
    await heading("Tu tarjeta");
    expect(service.callsTo("user")[0]?.body.widget_token).toBe(FRESH_TOKEN);
  });

  it("requires every consent again when the fresh token brings other texts", async () => {
    const { service, host, patient } = await expiring();
    await heading("Revisa y paga");
    await patient.tickAll();
    const text_sha256 = "a".repeat(64);
    const [first, ...others] = service.session().consents.filter(({ step }) => step === "payment");
    if (first === undefined) throw new Error("nothing is to be accepted");
    service.replaceSession({
      expires_at: "2026-11-21T16:20:00.000Z",
      consents: [{ ...first, text: "Un texto nuevo.", text_sha256 }, ...others],
    });
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    await screen.findByText("Un texto nuevo.");
    expect(screen.queryByRole("checkbox", { checked: true })).toBeNull();
    await patient.press(/^Pagar/);
    expect(service.callsTo("payment")).toEqual([]);
    await patient.tickAll();
    await patient.press(/^Pagar/);
    await patient.isDone();
    expect(service.callsTo("payment")[0]?.body.consents).toContainEqual(expect.objectContaining({ text_sha256 }));
  });

  it("is not replaced by one of another order", async () => {
    const { service, host, kept } = await expiring();
    await screen.findByText(/Tu sesión vence/);
    service.replaceSession({
      order_token: "7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c99",
      expires_at: "2026-11-21T16:20:00.000Z",
    });
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    expect(await screen.findByText(/No pudimos renovarla/)).toBeTruthy();
    expect(kept).toEqual([]);
  });

  it("ends the screen without a fresh one, which later resumes it", async () => {
    const { service, host, pass } = await expiring();
    await heading("Revisa y paga");
    await pass(5);
    await heading("Tu sesión venció");
    service.replaceSession({ expires_at: "2026-11-21T16:20:00.000Z" });
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    await heading("Revisa y paga");
  });

  it("is not renewed once the visit is over", async () => {
    const order = paidOrder();
    const { host, pass } = await expiring(createFakeService({ order, expires_at: "2026-11-21T15:30:00.000Z" }));
    await heading("¡Listo! Tu pago está hecho");
    await pass(6);
    expect(host.sent("token_expiring")).toEqual([]);
    expect(host.sent("request_token")).toEqual([]);
  });

  it("shows no failed renewal when there is no page to renew it", async () => {
    await openCheckout(serviceAtReview({ expires_at: "2026-11-21T15:24:00.000Z" }));
    await screen.findByText(/Tu sesión vence/);
    expect(screen.getByText("Termina antes o vuelve a abrir el pago desde la clínica.")).toBeTruthy();
  });

  it("can be renewed on another press after a failure, and then the screen keeps the focus", async () => {
    const { service, host, user } = await expiring();
    host.say({ type: "token", payload: { widget_token: null } });
    expect(await screen.findByText(/^No pudimos renovarla\. Termina antes o/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Necesito más tiempo" }));
    expect(host.sent("request_token")).toHaveLength(2);
    service.replaceSession({ expires_at: "2026-11-21T16:20:00.000Z" });
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    await waitFor(() => expect(screen.queryByText(/Tu sesión vence/)).toBeNull());
    expect(document.activeElement).toBe(await heading("Revisa y paga"));
  });

  it.each(["gives none", "says nothing"])(
    "shows a failed renewal when the page opens with it and the embedding page %s",
    async (how) => {
      const host = createFakeHost();
      const state = { problem: problemWith("widget_token_expired") };
      const { patient } = await openCheckout(createFakeService(), { state, parts: { connect: host.connect } });
      const answer = async (): Promise<void> => {
        if (how === "gives none") host.say({ type: "token", payload: { widget_token: null } });
        else await act(() => vi.advanceTimersByTimeAsync(15_000));
      };
      await waitFor(() => expect(host.sent("request_token")).toHaveLength(1));
      await answer();
      // The patient did not request it, so its failure is not reported.
      expect(screen.queryByRole("alert")).toBeNull();
      await patient.press("Necesito más tiempo");
      await answer();
      const failure = "No pudimos renovarla. Vuelve a abrir el pago desde la clínica.";
      expect((await screen.findByRole("alert")).textContent).toBe(failure);
      await patient.press("Necesito más tiempo");
      expect(host.sent("request_token")).toHaveLength(3);
    },
  );

  it("is renewed without a press once the service refuses it, and the form keeps its input", async () => {
    const host = createFakeHost();
    const service = createFakeService();
    const { patient } = await openCheckout(service, { parts: { connect: host.connect } });
    await patient.acceptSummary();
    await heading("Tus datos");
    await patient.press("Editar");
    await patient.fill("Correo electrónico", "otra@example.com");
    service.fail("user", { code: "widget_token_expired" });
    await patient.register();
    await heading("Tu sesión venció");
    expect(host.sent("error").at(-1)?.payload).toMatchObject({ code: "widget_token_expired", recoverable: true });
    await waitFor(() => expect(host.sent("request_token")).toHaveLength(1));
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    await heading("Tus datos");
    expect(screen.getByText("otra@example.com")).toBeTruthy();
  });

  it("is recoverable when the page opens with it: a fresh one opens the page without a press", async () => {
    const opened: string[] = [];
    const state = { problem: problemWith("widget_token_expired") };
    const host = createFakeHost();
    await openCheckout(createFakeService(), {
      state,
      parts: { connect: host.connect },
      onToken: (token) => void opened.push(token),
    });
    expect(host.sent("error").at(-1)?.payload).toMatchObject({ recoverable: true });
    await waitFor(() => expect(host.sent("request_token")).toHaveLength(1));
    host.say({ type: "token", payload: { widget_token: FRESH_TOKEN } });
    await waitFor(() => expect(opened).toEqual([FRESH_TOKEN]));
  });

  it("is not renewed again without a press when the fresh one has expired too", async () => {
    location.hash = RENEWED;
    const host = createFakeHost();
    const state = { problem: problemWith("widget_token_expired") };
    const { patient } = await openCheckout(createFakeService(), { state, parts: { connect: host.connect } });
    await heading("Tu sesión venció");
    expect(host.sent("request_token")).toHaveLength(0);
    await patient.press("Necesito más tiempo");
    expect(host.sent("request_token")).toHaveLength(1);
    location.hash = "";
  });

  it("does not overflow the timer when it lasts thirty days", async () => {
    await expiring(serviceAtReview({ expires_at: "2026-12-21T15:20:00.000Z" }));
    await heading("Revisa y paga");
    expect(screen.queryByText(/Tu sesión vence/)).toBeNull();
  });
});
