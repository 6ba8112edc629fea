/** @module-tag both-databases */
import { describe, expect, it } from "vitest";
import { beginCommandLine } from "./command-line.ts";

const { aapd } = beginCommandLine();

const RUT = "76.900.001-1";
const account = ["--bank", "Banco de Prueba", "--account-type", "checking", "--account-number", "0012345678"];
const holder = ["--holder-name", "Clínica Los Aromos del Sur SpA", "--holder-rut", RUT];

describe("pnpm aapd", () => {
  it("lists exceptions, and refuses to resolve an unknown one", async () => {
    expect(await aapd(["exceptions", "list"])).toMatchObject({ code: 0, out: "There are no exceptions.\n" });
    expect(JSON.parse((await aapd(["exceptions", "list", "--json"])).out)).toEqual({ exceptions: [] });
    const { code, error } = await aapd(["exceptions", "resolve", "collection_failed:x:y", "retry"]);
    expect([code, error]).toEqual([1, expect.stringContaining("There is no exception with this name.")]);
    expect((await aapd(["exceptions", "resolve", "x", "forget"])).code).not.toBe(0);
    const all = ["exceptions", "resolve-all", "difference"];
    const noted = [...all, "handled", "--note", "lo vio el procesador"];
    expect(await aapd(noted)).toMatchObject({ code: 0, out: "0 settled, 0 not.\n" });
    for (const note of [[], ["--note", "…"]])
      expect(await aapd([...all, "handled", ...note])).toMatchObject({
        code: 1,
        error: expect.stringContaining("--note"),
      });
    expect((await aapd([...noted, "--fact", "kind"])).error).toContain("It must be name=value.");
    expect((await aapd([...all, "forget"])).code).not.toBe(0);
    const answer = ["exceptions", "resolve-all", "rights_request", "grant_request", "--note", "hecho"];
    expect(await aapd(answer)).toMatchObject({ code: 1, error: expect.stringContaining("one by one") });
    expect((await aapd(["exceptions", "list", "--provider", RUT])).error).toContain(
      "There is no provider with the RUT",
    );
  });

  it("finds and shows no unknown order", async () => {
    expect(await aapd(["orders", "search", "camila@example.com"])).toMatchObject({
      code: 0,
      out: "There is no such order.\n",
    });
    expect(JSON.parse((await aapd(["orders", "search", "12.345.678-5", "--json"])).out)).toEqual({ orders: [] });
    const hash = "00000000-0000-4000-8000-000000000000";
    expect(await aapd(["orders", "show", hash])).toMatchObject({ code: 1, error: expect.stringContaining("no order") });
    expect((await aapd(["orders", "show", "x"])).error).toContain("must be an order's hash");
  });

  it("records payout terms, and shows only the end of an account", async () => {
    const provider = [
      "--name",
      "Clínica",
      "--rut",
      RUT,
      "--commission",
      "7",
      "--commission-regime",
      "interest",
      "--support-email",
      "a@example.com",
      "--no-frame",
    ];
    await aapd(["provider", "create", ...provider]);
    const taxed = ["--fee-regime", "taxed_service"];
    const { out, code } = await aapd(["payouts", "set-terms", RUT, "--fee", "3,5", ...taxed, ...account, ...holder]);
    expect([code, out]).toEqual([0, "The fee is 3.5 %, VAT included.\nPaid into the account ending in 5678.\n"]);
    const kept = await aapd(["payouts", "set-terms", RUT, "--fee", "4", "--fee-regime", "exempt", "--json"]);
    expect(JSON.parse(kept.out)).toMatchObject({ fee_percentage: 4, fee_regime: "exempt", account_ending: null });
    expect((await aapd(["payouts", "set-terms", RUT, "--fee", "4"])).error).toContain("--fee-regime");
    expect((await aapd(["payouts", "set-terms", RUT, "--fee", "101", ...taxed])).code).not.toBe(0);
    expect((await aapd(["payouts", "set-terms", RUT, "--fee", "3", ...taxed, "--bank", "Banco"])).code).toBe(1);
  });
});
