import { isPersonRut, parseRut } from "bff/contract/vocabulary/rut";
import { describe, expect, it } from "vitest";
import { findScenario, SCENARIOS } from "./catalogue.ts";
import { CARDS, MAGIC_RUTS } from "./magic-values.ts";
import { PEOPLE } from "./people.ts";
import { isSight, patientOf } from "./scenario.ts";
import { findService } from "./services.ts";
import { wordsOfStep } from "./step-words.ts";

describe("the catalogue of scenarios", () => {
  it("names each situation once and finds it by its name", () => {
    expect(new Set(SCENARIOS.map(({ id }) => id)).size).toBe(SCENARIOS.length);
    for (const scenario of SCENARIOS) expect(findScenario(scenario.id)).toBe(scenario);
    expect(findScenario("no-such")).toBeNull();
  });

  it.each(SCENARIOS)(
    "$id sells a service of the clinic, ends in a visible result, and uses its own values",
    (scenario) => {
      expect(findService(scenario.serviceId)).not.toBeNull();
      expect(scenario.steps.some((step) => isSight(step))).toBe(true);
      const acts = JSON.stringify(scenario.steps);
      const reachesCard = acts.includes('"add_card"');
      const reachesSerial = acts.includes('"prove_identity"');
      if (reachesCard) expect(acts).toContain(scenario.card.number);
      if (reachesSerial) expect(acts).toContain(scenario.documentSerial);
      for (const step of scenario.steps) expect(wordsOfStep(step)).toMatch(/\.$/);
    },
  );

  it("uses every test value of the catalogue", () => {
    const used = JSON.stringify(SCENARIOS);
    const cards = Object.values(CARDS).filter(({ number }) => !used.includes(number));
    const people = Object.values(MAGIC_RUTS).filter(({ rut }) => !used.includes(rut));
    expect({ cards, people }).toEqual({ cards: [], people: [] });
  });

  it("creates a patient for a valid RUT, and a new one each time if the patient must be unknown", () => {
    let made = 0;
    const fresh = () => ["42.000.001-9", "42.000.002-7"][made++] ?? "";
    for (const scenario of SCENARIOS.filter(({ patient }) => patient !== "new")) {
      expect(isPersonRut(parseRut(patientOf(scenario, fresh).rut))).toBe(true);
    }
    expect(made).toBe(0);
    const [newcomer] = SCENARIOS.filter(({ patient }) => patient === "new");
    if (newcomer === undefined) throw new Error("no scenario has a new patient");
    expect(patientOf(newcomer, fresh).rut).not.toBe(patientOf(newcomer, fresh).rut);
  });

  it("gives each patient a separate mail address and telephone", () => {
    let made = 42_000_000;
    const fresh = () => {
      made += 1;
      return `${String(made).replace(/(..)(...)(...)/, "$1.$2.$3")}-0`;
    };
    const patients = SCENARIOS.map((scenario) => patientOf(scenario, fresh));
    const phones = new Map([...PEOPLE, ...patients].map(({ rut, phone }) => [rut, phone]));
    expect(new Set(phones.values()).size).toBe(phones.size);
    for (const phone of phones.values()) expect(phone).toMatch(/^\+56 9 \d{4} \d{4}$/);
  });

  it("keeps its everyday people apart from those with special RUTs of the sandbox", () => {
    const magic = Object.values(MAGIC_RUTS).map(({ rut }) => rut as string);
    for (const person of PEOPLE) {
      expect(isPersonRut(parseRut(person.rut))).toBe(true);
      expect(magic).not.toContain(person.rut);
    }
  });
});
