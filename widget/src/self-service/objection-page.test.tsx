import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { createFakeService } from "../../test/fake-service.ts";
import { openCheckout } from "../../test/open-checkout.tsx";

const OBJECTION = { purpose: "objection", order: null, order_token: null, quote: null } as const;

describe("objection to a change of e-mail", () => {
  it("undoes the change only on a press, with the link's token, and confirms it", async () => {
    const service = createFakeService(OBJECTION);
    const { patient } = await openCheckout(service);
    expect(service.callsTo("objection")).toHaveLength(0);
    await patient.press("No fui yo, deshacer el cambio");
    const heading = await screen.findByRole("heading", { level: 1, name: "Listo, deshicimos el cambio" });
    expect(document.activeElement).toBe(heading);
    expect(service.callsTo("objection").map(({ body }) => body)).toEqual([
      { widget_token: "0b7a4f0e-1111-4222-8333-444455556666" },
    ]);
  });

  it("shows an expired link when it comes too late", async () => {
    const service = createFakeService(OBJECTION);
    service.fail("objection", { code: "widget_token_expired" });
    const { patient } = await openCheckout(service);
    await patient.press("No fui yo, deshacer el cambio");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Este enlace venció");
    expect(document.activeElement).toBe(alert);
  });

  it("shows the change as undone on the next press after a lost answer", async () => {
    const service = createFakeService(OBJECTION);
    service.fail("objection", { lost: "answer" }, { code: "widget_token_used" });
    const { patient } = await openCheckout(service);
    await patient.press("No fui yo, deshacer el cambio");
    expect((await screen.findByRole("alert")).textContent).toContain("No pudimos conectarnos");
    await patient.press("No fui yo, deshacer el cambio");
    await screen.findByText(/Si ya presionaste el botón, el cambio está deshecho/);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.queryByRole("button", { name: /deshacer/ })).toBeNull();
  });

  it("can be pressed again after a lost call", async () => {
    const service = createFakeService(OBJECTION);
    service.fail("objection", { lost: "call" });
    const { patient } = await openCheckout(service);
    await patient.press("No fui yo, deshacer el cambio");
    expect((await screen.findByRole("alert")).textContent).toContain("No pudimos conectarnos");
    await patient.press("No fui yo, deshacer el cambio");
    await screen.findByRole("heading", { level: 1, name: "Listo, deshicimos el cambio" });
  });

  it("is available in English", async () => {
    await openCheckout(createFakeService({ ...OBJECTION, locale: "en" }));
    expect(screen.getByRole("heading", { level: 1, name: "Did you change your e-mail?" })).toBeTruthy();
  });
});
