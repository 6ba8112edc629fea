import { expect, test } from "vitest";
import { PEOPLE } from "../../scenarios/people.ts";
import { SERVICES } from "../../scenarios/services.ts";
import { createIntendedPurchase } from "./intended-purchase.ts";

const [service, otherService] = SERVICES;
const [person] = PEOPLE;

function intending(failures = 0) {
  let begun = 0;
  const intended = createIntendedPurchase<string>(async () => {
    begun += 1;
    if (begun <= failures) throw new Error("no network");
    return { id: `purchase ${begun}`, url: "https://widget.example" };
  });
  return { intended, count: () => begun };
}

test("a press uses the purchase that was begun before it, once; the next press begins another", async () => {
  if (service === undefined || person === undefined) throw new Error("nothing to buy");
  const { intended, count } = intending();
  intended.expect(service, person);
  intended.expect(service, { ...person });
  expect((await intended.begin(service, person)).id).toBe("purchase 1");
  expect((await intended.begin(service, person)).id).toBe("purchase 2");
  expect(count()).toBe(2);
});

test("another service is another purchase, and a failure before the press is retried by the press", async () => {
  if (service === undefined || otherService === undefined || person === undefined) throw new Error("nothing to buy");
  const { intended } = intending(1);
  intended.expect(service, person);
  expect((await intended.begin(otherService, person)).id).toBe("purchase 2");
  const failing = intending(1);
  failing.intended.expect(service, person);
  await Promise.resolve();
  await expect(failing.intended.begin(service, person)).resolves.toMatchObject({ id: "purchase 2" });
});
