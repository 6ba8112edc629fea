import { expect, it } from "vitest";
import { renderEnrolment } from "./card-page.ts";
import type { Enrolment } from "./enrolment-store.ts";

const enrolment: Enrolment = {
  id: "b6bd6ba3-e718-4107-9386-d2b099a8dd42",
  providerId: "p",
  orderHash: "o",
  returnUrl: "https://pay.example/return",
  expiresAt: new Date(0),
  closesAt: new Date(0),
  state: "open",
  username: null,
  token: null,
  returnedAt: null,
  finishTries: 0,
  cardId: null,
  userId: null,
  clinic: "Clínica <Los Aromos>",
  total: 40_000,
};

it("an enrolment's page names the clinic and the price, as text", () => {
  const page = renderEnrolment(enrolment);
  expect(page).toContain("<strong>Clínica &lt;Los Aromos&gt;</strong><br>Atención de $40.000");
});

it("an enrolment's page names neither if the call did not say them", () => {
  expect(renderEnrolment({ ...enrolment, clinic: null, total: null })).not.toContain("Atención de");
});
