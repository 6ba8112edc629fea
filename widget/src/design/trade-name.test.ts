import { expect, it } from "vitest";
import { tradeName } from "./trade-name.ts";

it.each([
  ["Clínica Los Aromos del Sur SpA", "Clínica Los Aromos del Sur"],
  ["Clínica Los Aromos del Sur, S.p.A.", "Clínica Los Aromos del Sur"],
  ["Centro Médico Mirador Andino Ltda.", "Centro Médico Mirador Andino"],
  ["Centro Médico Mirador Andino Limitada", "Centro Médico Mirador Andino"],
  ["Clínica Quillay S.A.", "Clínica Quillay"],
  ["Clínica Quillay S. A.", "Clínica Quillay"],
  ["Dental Quillay E.I.R.L.", "Dental Quillay"],
])("a trade name has no legal form: %s", (registered, shown) => {
  expect(tradeName(registered)).toBe(shown);
});

it.each(["Fundación Puente Verde", "Termas y Spa", "Clínica Elsa", "SpA", "Red Salud Quillay"])(
  "a name without a legal form stays unchanged: %s",
  (name) => {
    expect(tradeName(name)).toBe(name);
  },
);
