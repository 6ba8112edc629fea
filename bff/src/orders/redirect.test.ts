import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { createKeyring } from "../platform/keyring.ts";
import { openReference, type Redirect, returnUrlOf } from "./redirect.ts";

const keyring = createKeyring({
  keys: [{ id: "k".repeat(32), secret: new Uint8Array(32).fill(1) }],
  environment: "staging",
});
const widgetHostUrl = "https://pagos.atiendete-ahora-paga-despues.cl";
const redirects: fc.Arbitrary<Redirect> = fc.record({
  kind: fc.constantFrom("payment", "card", "card_change_page", "card_change", "pay_early"),
  providerId: fc.uuid(),
  orderId: fc.uuid() as fc.Arbitrary<OrderId>,
  attemptId: fc.uuid(),
});
const referenceOf = (url: string) => url.slice(`${widgetHostUrl}/return/`.length);

it("a return URL can be resolved to its redirect, never changes, and fits the 255 characters that processors allow", () => {
  fc.assert(
    fc.property(redirects, (redirect) => {
      const url = returnUrlOf({ keyring, widgetHostUrl }, redirect);
      expect(openReference(keyring, referenceOf(url))).toEqual(redirect);
      expect(returnUrlOf({ keyring, widgetHostUrl }, redirect)).toBe(url);
      expect(url).toMatch(/^https:[\w./-]+$/);
      expect(url.length).toBeLessThan(255);
    }),
  );
});

it("a return reference that was changed, invented or sealed for another purpose resolves to nothing", () => {
  fc.assert(
    fc.property(redirects, fc.nat(), fc.string(), (redirect, place, text) => {
      const reference = referenceOf(returnUrlOf({ keyring, widgetHostUrl }, redirect));
      const at = 33 + (place % (reference.length - 34));
      const other = reference[at] === "A" ? "B" : "A";
      expect(openReference(keyring, `${reference.slice(0, at)}${other}${reference.slice(at + 1)}`)).toBeNull();
      expect(openReference(keyring, text)).toBeNull();
      expect(openReference(keyring, keyring.seal(text, "otp"))).toBeNull();
      expect(openReference(keyring, keyring.seal("", "redirect"))).toBeNull();
    }),
  );
});
