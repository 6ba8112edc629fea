import { describe, expect, it } from "vitest";
import { gsm7Parts, toGsm7 } from "./gsm7.ts";

describe("a text for a short message", () => {
  it.each([
    ["Clínica Óptica Ñuñoa", "Clinica Optica Ñuñoa"],
    ["El código vence en 10 minutos. ¿Dudas? ¡Escríbenos!", "El codigo vence en 10 minutos. ¿Dudas? ¡Escribenos!"],
    ["José pagó $12.000 a María Pérez", "José pago $12.000 a Maria Pérez"],
    ["n\u0303 decomposed", "ñ decomposed"],
    ["Müller & Böhm – «Vida»…", 'Müller & Böhm - "Vida"...'],
    ["Łódź 漢 🩺", "?odz ? ?"],
    ["código\n@widget.example #048213", "codigo\n@widget.example #048213"],
  ])("%s", (text, sent) => {
    expect(toGsm7(text)).toBe(sent);
    expect(toGsm7(sent)).toBe(sent);
    expect(() => gsm7Parts(sent)).not.toThrow();
  });
});

describe("the parts of a message", () => {
  it.each([
    ["a".repeat(160), 1],
    ["a".repeat(161), 2],
    ["a".repeat(306), 2],
    ["a".repeat(307), 3],
    ["€".repeat(80), 1],
    ["€".repeat(81), 2],
  ])("are counted in septets", (text, parts) => {
    expect(gsm7Parts(text)).toBe(parts);
  });

  it("throw a RangeError for a text outside of the alphabet", () => {
    expect(() => gsm7Parts("í")).toThrow(RangeError);
  });
});
