import { expect, it } from "vitest";
import { lengthen, withLongContent } from "./long-content.ts";
import { orderWith } from "./recorded-answers.ts";
import { GALLERY_STATES } from "./states.ts";

it("long content uses the longest names and the largest amounts, and keeps days, codes and rates", () => {
  const order = orderWith({});
  const long = lengthen(order);
  expect([long.total_amount, long.plan.data.installments[1].amount]).toEqual([999_999_999, 999_999_999]);
  expect(long.customer.first_name.length).toBeGreaterThan(order.customer.first_name.length);
  expect([long.plan.name, long.hash, long.created_at]).toEqual([order.plan.name, order.hash, order.created_at]);
  expect(long.plan.data.commission.percentage).toBe(order.plan.data.commission.percentage);
});

it("long content also fills the answers that a page gets after its code", async () => {
  const payment = GALLERY_STATES.find(({ name }) => name === "payment");
  const answers = payment === undefined ? undefined : withLongContent(payment).answers;
  const texts = await Promise.all(
    Object.values(answers ?? {}).map(async (answer: (...given: never[]) => Promise<unknown>) =>
      JSON.stringify(await answer()),
    ),
  );
  expect(texts.join()).toContain("999999999");
});
