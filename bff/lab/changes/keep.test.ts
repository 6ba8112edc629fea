import { describe, expect, it } from "vitest";
import type { KeptRelease } from "../../src/partner-docs/kept-differences.ts";
import type { Difference } from "./compare.ts";
import { decideKeeping, recordedDifference, unnamed } from "./keep.ts";

const answer = (place: string, status: string) => ({ place, part: `answer ${status}` });
const added: Difference = {
  breaks: false,
  what: "`items`: a new field",
  where: answer("`POST /orders`", "201"),
  names: ["items"],
};
const removed: Difference = {
  breaks: true,
  what: "`plan`: gone",
  where: answer("`POST /orders`", "201"),
  names: ["plan"],
};
const words = (date: string, ...changes: string[]) => ({ date, changes });
const before: KeptRelease = { date: "2026-11-22", differences: [{ what: "endpoint: new", breaks: false, where: [] }] };

describe("keeping a release", () => {
  it("puts the differences next to the newest day's text", () => {
    const day = words("2026-11-24", "Orders have `items`.");
    const differences = [{ what: "`items`: a new field", breaks: false, where: ["`POST /orders` (answer 201)"] }];
    expect(decideKeeping([added], [day], [before], false)).toEqual({
      releases: [{ date: "2026-11-24", differences }, before],
    });
  });

  it("adds to the differences recorded on the same day", () => {
    const keeping = decideKeeping([added], [words(before.date, "Orders have `items`.")], [before], false);
    const [release] = "releases" in keeping ? keeping.releases : [];
    expect(release?.differences.map(({ what }) => what)).toEqual(["`items`: a new field", "endpoint: new"]);
  });

  it("refuses a breaking difference without --breaking", () => {
    const day = words("2026-11-24", "`plan` is gone.");
    expect(decideKeeping([removed], [day], [], false)).toMatchObject({ refused: expect.stringContaining("break") });
    const keeping = decideKeeping([removed], [day], [], true);
    expect(keeping).toMatchObject({ releases: [{ differences: [{ breaks: true }] }] });
  });

  it("refuses a difference that the text does not name, even with --breaking", () => {
    const day = words("2026-11-24", "Many things are better. The lineitems too.");
    expect(decideKeeping([added, removed], [day], [], true)).toMatchObject({
      refused: expect.stringMatching(/2026-11-24[\s\S]*`plan`: gone[\s\S]*`items`: a new field/),
    });
  });

  it("accepts only text that was added since the last release", () => {
    const days = [words("2026-11-24", "Nothing of the kind."), words("2026-11-21", "Orders have `items`.")];
    expect(decideKeeping([added], days, [before], false)).toMatchObject({ refused: expect.stringContaining("items") });
    expect(decideKeeping([added], days, [], false)).toHaveProperty("releases");
  });

  it("does nothing without a difference", () => {
    expect(decideKeeping([], [words("2026-11-24")], [], false)).toHaveProperty("refused");
  });
});

describe("a name in a text", () => {
  const named = (name: string, line: string) => unnamed([{ ...added, names: [name] }], [line]).length === 0;

  it.each([
    ["items", "`POST /orders` takes `items`, the lines of your bill."],
    ["detail.error_code", "Match on `detail.error_code`."],
    ["/recognition/verify", "`POST /orders/{hash}/recognition` and `/recognition/verify` (client_id)"],
    ["order.paid", "The event `order.paid`"],
  ])("%s is found", (name, line) => expect(named(name, line)).toBe(true));

  it.each([
    ["items", "`line_items` and `items_total` and `items-x`"],
    ["order.paid", "`orderXpaid`"],
    ["reason", "For that reason `POST /orders` is better, and so is `GET /orders`."],
  ])("%s is not found in another name or in the sentence", (name, line) => expect(named(name, line)).toBe(false));
});

describe("recorded differences", () => {
  it("are merged by difference with all places, breaking ones first", () => {
    const at = (difference: Difference, place: string, part: string | null): Difference => ({
      ...difference,
      where: { place, part },
    });
    expect(
      recordedDifference([
        at(added, "`POST /orders`", "request"),
        at(added, "`POST /orders`", "answer 201"),
        at(added, "`POST /orders`", "answer 409"),
        at(added, "webhook `order.paid`", null),
        removed,
      ]),
    ).toEqual([
      { what: "`plan`: gone", breaks: true, where: ["`POST /orders` (answer 201)"] },
      {
        what: "`items`: a new field",
        breaks: false,
        where: ["`POST /orders` (request, answer 201, 409)", "webhook `order.paid`"],
      },
    ]);
  });
});
