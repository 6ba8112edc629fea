import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { createFakeService } from "../../test/fake-service.ts";
import { openCheckout } from "../../test/open-checkout.tsx";
import { sessionWith } from "../gallery/recorded-answers.ts";

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const describedBy = (element: Element) =>
  (element.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "")
    .join(" ")
    .trim();

describe("the frame around a screen", () => {
  it("names the landmark after the screen, and says the step in the title's description", async () => {
    const { patient } = await openCheckout(createFakeService());
    expect(await screen.findByRole("main", { name: "Atiéndete ahora, paga después" })).toBeTruthy();
    await patient.acceptSummary();
    expect(describedBy(await heading("Tus datos"))).toBe("Paso 2 de 4");
    expect(screen.getByRole("main", { name: "Tus datos" })).toBeTruthy();
  });

  it("shows the trade name of a clinic that is registered as a company", async () => {
    const { provider } = sessionWith();
    const name = "Clínica Los Aromos del Sur SpA";
    await openCheckout(createFakeService({ provider: { ...provider, name, logo_url: null } }));
    await heading("Atiéndete ahora, paga después");
    const header = screen.getByRole("main").firstElementChild as HTMLElement;
    expect(within(header).getByText("Clínica Los Aromos del Sur")).toBeTruthy();
  });

  it("opens telephone, WhatsApp and mail from help, and closes it with Escape", async () => {
    const { user } = await openCheckout(createFakeService());
    const help = await screen.findByText("Ayuda");
    await user.click(help);
    const details = help.closest("details");
    expect(details?.open).toBe(true);
    const addresses = [...(details?.querySelectorAll("a") ?? [])].map(({ href }) => href);
    expect(addresses).toEqual(["tel:+56223456789", "https://wa.me/56912345678", "mailto:ayuda@losaromos.example"]);
    help.focus();
    await user.keyboard("{Escape}");
    expect(details?.open).toBe(false);
  });

  it("shows the consents in the language that the patient chooses, unticked, and the service stores it", async () => {
    const service = createFakeService();
    const { user, patient } = await openCheckout(service);
    await patient.acceptSummary();
    await user.click(await screen.findByRole("checkbox", { name: "Pidan el reembolso por mí" }));
    await user.click(screen.getByRole("button", { name: "English" }));
    await waitFor(() => expect(screen.getByText(/^I authorise/).lang).toBe("en"));
    for (const box of screen.getAllByRole<HTMLInputElement>("checkbox")) expect(box.checked).toBe(false);
    expect(service.callsTo("shown").map(({ body }) => body.locale)).toEqual(["en"]);
  });

  it("keeps the patient's input when the language changes", async () => {
    const { user, patient } = await openCheckout(createFakeService());
    await patient.acceptSummary();
    await heading("Tus datos");
    await patient.openFold("Agregar la clave de tu isapre");
    await patient.fill("Clave de tu isapre", "secreta");
    await user.click(screen.getByRole("button", { name: "English" }));
    await screen.findByRole("button", { name: "Español" });
    expect(document.documentElement.lang).toBe("en");
    expect(screen.getByDisplayValue("secreta")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Español" }));
    await heading("Tus datos");
    expect(screen.getByDisplayValue("secreta")).toBeTruthy();
  });
});

it("names a consent by its short title, and describes it with its whole text", async () => {
  const service = createFakeService();
  const { patient } = await openCheckout(service);
  await patient.acceptSummary();
  const box = await screen.findByRole("checkbox", { name: "Pidan el reembolso por mí" });
  const { text } = service.session().consents.find(({ purpose }) => purpose === "claim_mandate") ?? {};
  expect(describedBy(box).replaceAll("\u00a0", " ")).toBe(text);
});
