import { act, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { createFakeHistory, type FakeHistory } from "../../test/fake-history.ts";
import { createFakeHost } from "../../test/fake-host.ts";
import { createFakeService } from "../../test/fake-service.ts";
import { openCheckout } from "../../test/open-checkout.tsx";
import { orderWith, VISA } from "../gallery/recorded-answers.ts";
import { entryOf, stepOfEntry } from "./step-history.ts";

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });

async function travel(history: FakeHistory, delta: number): Promise<void> {
  await act(async () => history.go(delta));
}

describe("an entry of the history", () => {
  it("is added for a screen that the patient reaches", () => {
    const { entry, isNew } = entryOf("card", { index: 1, screens: ["summary", "identity"] }, true);
    expect([entry, isNew]).toEqual([{ index: 2, screens: ["summary", "identity", "card"] }, true]);
  });

  it("is reused by a screen that was passed already, and by one that appears before the patient acts", () => {
    const before = { index: 2, screens: ["summary", "identity", "card"] };
    expect(entryOf("summary", before, true)).toEqual({ entry: { index: 2, screens: ["summary"] }, isNew: false });
    const { entry, isNew } = entryOf("review", before, false);
    expect([entry.index, isNew]).toEqual([2, false]);
  });

  it("leads Back to the latest screen that can still be changed", () => {
    const facts = {
      hasOrder: true,
      isNewPatient: false,
      identityValidated: true,
      cardAdded: false,
      keepsCards: false,
      orderStatus: "pending",
    } as const;
    const steps = ["summary", "identity", "card", "review"] as const;
    const passed = { index: 1, screens: ["summary", "identity"] };
    expect(stepOfEntry(passed, { isBack: true, screen: "card", steps, facts })).toBe("summary");
    expect(stepOfEntry(passed, { isBack: true, screen: "summary", steps, facts })).toBeNull();
    expect(stepOfEntry(passed, { isBack: false, screen: "summary", steps, facts })).toBeNull();
  });
});

describe("Back in the browser", () => {
  it("goes one step back and keeps typed text; Forward returns, and Back leaves from the first step", async () => {
    const history = createFakeHistory();
    const { patient } = await openCheckout(createFakeService(), { parts: { history } });
    await patient.acceptSummary();
    await heading("Tus datos");
    await patient.press("Editar");
    await patient.fill("Correo electrónico", "otra@example.com");
    expect(history.path()).toEqual(["summary", "patient"]);
    await travel(history, -1);
    await heading("Atiéndete ahora, paga después");
    await travel(history, 1);
    await heading("Tus datos");
    expect(screen.getByText("otra@example.com")).toBeTruthy();
    await travel(history, -1);
    await travel(history, -1);
    expect(history.hasLeft()).toBe(true);
  });

  it("passes over a step that is done", async () => {
    const history = createFakeHistory();
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" });
    const { patient } = await openCheckout(service, { parts: { history } });
    await patient.acceptSummary();
    await patient.proveIdentity();
    await heading("Tu tarjeta");
    await travel(history, -1);
    await heading("Atiéndete ahora, paga después");
    await travel(history, -1);
    await waitFor(() => expect(history.hasLeft()).toBe(true));
  });

  it("leaves the checkout after the payment, shows no earlier step, and pays nothing", async () => {
    const history = createFakeHistory();
    const host = createFakeHost();
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" });
    const { patient } = await openCheckout(service, { parts: { history, connect: host.connect } });
    await patient.acceptSummary();
    await patient.proveIdentity();
    await patient.addCard();
    await patient.pay();
    await patient.isDone();
    await waitFor(() => expect(host.sent("completed")).toHaveLength(1));
    expect(history.path()).toHaveLength(1);
    await travel(history, 2);
    await patient.isDone();
    await waitFor(() => expect(history.path()).toHaveLength(1));
    expect(service.callsTo("payment")).toHaveLength(1);
    await travel(history, -1);
    expect(history.hasLeft()).toBe(true);
  });

  it("changes nothing while a payment is under way", async () => {
    const history = createFakeHistory();
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED" });
    const goOn: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => void goOn.push(resolve));
    const { patient } = await openCheckout(service, { parts: { history }, wait });
    await patient.acceptSummary();
    await patient.proveIdentity();
    await patient.addCard();
    service.answer("payment", { order: service.order(), payment: { status: "processing", waits_for: "lender" } });
    await patient.pay();
    await heading("Estamos revisando tu crédito");
    await travel(history, -1);
    await heading("Estamos revisando tu crédito");
    await act(async () => goOn.at(-1)?.());
    await patient.isDone();
    await waitFor(() => expect(history.path()).toHaveLength(1));
  });
});

describe("a page that the browser restores", () => {
  const READY = { readiness: { identity_validated: true, payment_method_added: true }, payment_method: VISA };

  it("shows the order as the service has it now", async () => {
    const service = createFakeService({ event_type: "SPOT_USER_SUBSCRIBED", order: orderWith(READY) });
    await openCheckout(service);
    await heading("Revisa y paga");
    service.change({ status: "paid" });
    await act(async () => {
      window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    });
    await heading("¡Listo! Tu pago está hecho");
    expect(service.callsTo("payment")).toHaveLength(0);
  });
});
