import { describe, expect, it } from "vitest";
import {
  addressAtDesk,
  addressOfGallery,
  addressOfPurchase,
  addressOfScenario,
  placeInAddress,
  scenarioInAddress,
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
