import { describe, expect, it } from "vitest";
import {
  addressAtDesk,
  addressOfGallery,
  addressOfPurchase,
  addressOfScenario,
  addressOfView,
  placeInAddress,
  scenarioInAddress,
  viewInAddress,
} from "./page-address.ts";

describe("the address of a place", () => {
  it("is parsed back to the same place", () => {
    const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    expect(placeInAddress(addressOfPurchase(id))).toEqual({ at: "purchase", id });
    expect(placeInAddress(addressAtDesk(id))).toEqual({ at: "desk", id });
    expect(placeInAddress("#/meson")).toEqual({ at: "desk", id: null });
    const settings = new URLSearchParams({ states: "summary,card", locale: "en" });
    expect(placeInAddress(addressOfGallery(settings))).toEqual({ at: "gallery", settings });
    expect(scenarioInAddress(new URL(addressOfScenario("sin-fondos"), "http://clinic").search)).toBe("sin-fondos");
  });

  it.each(["", "#/", "#/nowhere", "#/pago/../../etc", "#/pago/<img>", "#/meson/1"])(
    "leads from %j to the shop",
    (hash) => {
      expect(placeInAddress(hash)).toEqual({ at: "shop" });
    },
  );
});

describe("the address of a view", () => {
  const at = { pathname: "/", search: "?escenario=sin-fondos", hash: "#/pago/1" };

  it("keeps the place and the scenario, and is parsed back", () => {
    const patient = addressOfView("patient", at);
    expect(patient).toBe("/?escenario=sin-fondos&vista=paciente#/pago/1");
    const { search } = new URL(patient, "http://clinic");
    expect([viewInAddress(search), viewInAddress(at.search)]).toEqual(["patient", "bench"]);
    expect(addressOfView("bench", { ...at, search })).toBe("/?escenario=sin-fondos#/pago/1");
  });

  it("is the plain address for the bench", () => {
    expect(addressOfView("bench", { pathname: "/", search: "?vista=paciente", hash: "" })).toBe("/");
  });
});
