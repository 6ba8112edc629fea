import { describe, expect, it } from "vitest";
import { bankCodeOf, banks } from "./banks.ts";

describe("bank codes", () => {
  it.each([
    ["012", "012"],
    ["BancoEstado", "012"],
    ["banco estado", "012"],
    ["BANCO ITAU", "039"],
    ["Banco Itaú Chile", "039"],
    ["Banco de Chile S.A.", "001"],
    ["Santander-Chile", "037"],
    ["Mach", "016"],
  ])("%j has the code %s", (bank, code) => {
    expect(bankCodeOf(bank)).toBe(code);
  });

  it.each(["Banco de Prueba", "", "12", "Banco"])("%j has none", (bank) => {
    expect(bankCodeOf(bank)).toBeNull();
  });

  it("each is unique, and every listed name leads to its own", () => {
    for (const { code, name } of banks) expect([name, bankCodeOf(name), bankCodeOf(code)]).toEqual([name, code, code]);
    expect(new Set(banks.map(({ name }) => name)).size).toBe(banks.length);
  });
});
