import { QueryClient } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { createFakeHistory } from "../../test/fake-history.ts";
import { createFakeHost } from "../../test/fake-host.ts";
import { createFakeService } from "../../test/fake-service.ts";
import { openCheckout } from "../../test/open-checkout.tsx";

/** Typed values that may only be sent to the service, the first three sealed. */
const CARD_NUMBER = "4051885600446623";
const CVC = "987";
const PASSWORD = "clave-plantada-71";
const SERIAL = "987654321";

/** Records everything that the caches of queries and mutations contain from now on. */
function watchCaches(client: QueryClient) {
  const held = new Set<string>();
  const [queries, mutations] = [client.getQueryCache(), client.getMutationCache()];
  const keep = () => {
    const states = [...queries.getAll(), ...mutations.getAll()].map(({ state }) => state);
    held.add(JSON.stringify(states));
  };
  queries.subscribe(keep);
  mutations.subscribe(keep);
  return { held, mutationsLeft: () => mutations.getAll().length };
}

it("input is sent only with its own calls, and sealed input is neither cached nor sent in the clear", async () => {
  const logged: string[] = [];
  for (const method of ["log", "info", "warn", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...parts) => void logged.push(parts.map(String).join(" ")));
  }
  const mounted = vi.spyOn(QueryClient.prototype, "mount");
  const host = createFakeHost();
  const service = createFakeService({ parent_origins: ["https://clinic.example"] });
  const history = createFakeHistory();
  const { patient, view } = await openCheckout(service, { parts: { connect: host.connect, history } });
  await patient.acceptSummary();
  await screen.findByRole("heading", { level: 1, name: "Tus datos" });
  const [client] = mounted.mock.contexts;
  if (!(client instanceof QueryClient)) throw new Error("The page has no query client.");
  const caches = watchCaches(client);
  await patient.register(PASSWORD, SERIAL);
  await screen.findByRole("heading", { level: 1, name: "Tu tarjeta" });
  expect(view.container.innerHTML).not.toContain(PASSWORD);
  await patient.fill("Número de tarjeta", CARD_NUMBER);
  await patient.fill("Vencimiento", "12/34");
  await patient.fill("Código CVV", CVC);
  await patient.fill("Nombre en la tarjeta", "CAMILA ROJAS");
  await patient.press("Continuar");
  await patient.pay();
  await patient.isDone();

  const secrets = [CARD_NUMBER, "4051 8856 0044 6623", CVC, PASSWORD, SERIAL, "987.654.321"];
  const inputs = [...document.querySelectorAll("input")].map((input) => input.value);
  const everywhere = {
    messages: JSON.stringify(host.heard),
    addresses: JSON.stringify([
      location.href,
      history.everything(),
      service.calls.map(({ path, query }) => path + query),
    ]),
    storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    logs: logged.join("\n"),
    page: document.documentElement.outerHTML + inputs.join(" "),
  };
  for (const [where, text] of Object.entries(everywhere)) {
    for (const secret of secrets) expect(text, where).not.toContain(secret);
  }
  const personal = ["40.100.000-3", "40100000-3", "Rojas", "camila.rojas@example.com", "12345678"];
  for (const text of [everywhere.messages, everywhere.addresses, everywhere.storage, everywhere.logs]) {
    for (const value of personal) expect(text).not.toContain(value);
  }
  // The variables of a step are dropped with it, and secrets are sealed before the step.
  await waitFor(() => expect(caches.mutationsLeft()).toBe(0));
  const held = [...caches.held].join("\n");
  expect(held.includes("987.654.321")).toBe(true);
  for (const sealed of [CARD_NUMBER, "4051 8856 0044 6623", `"${CVC}"`, PASSWORD]) {
    expect(held.includes(sealed), sealed).toBe(false);
  }
  const bodies = service.calls.map(({ body }) => JSON.stringify(body)).join("\n");
  for (const sealed of [CARD_NUMBER, PASSWORD, `"${CVC}"`]) expect(bodies).not.toContain(sealed);
});
