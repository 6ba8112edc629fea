import { expect, it } from "vitest";
import { maskFilledIn, sqlChanges } from "./sql-mutants.ts";

/** The statement with each of its changes. */
const changed = (text: string) =>
  sqlChanges(text).map(({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end));

it.each([
  ["select where a = 1", ["select where true"]],
  ["select where a = 1 and b is null", ["select where true and b is null", "select where a = 1 and true"]],
  ["select where a or b", ["select where false or b", "select where a or false"]],
  [
    "select where a and (b or c)",
    ["true and (b or c)", "a and true", "a and (false or c)", "a and (b or false)"].map((end) => `select where ${end}`),
  ],
  ["where d between 1 and 2 and e", ["where true and e", "where d between 1 and 2 and true"]],
  ["where a is not distinct from b group by c", ["where true group by c"]],
  [
    "where a in (select id from t where b) returning c",
    ["where true returning c", "where a in (select id from t where true) returning c"],
  ],
  [
    "from t join u on t.a = u.a and u.b left join v on true where left(c, 1) = 'x'",
    [
      "from t join u on true and u.b left join v on true where left(c, 1) = 'x'",
      "from t join u on t.a = u.a and true left join v on true where left(c, 1) = 'x'",
      "from t join u on t.a = u.a and u.b left join v on true where true",
    ],
  ],
  ["update t set a = b where c", ["update t set a = b where true"]],
  ["count(*) filter (where a) as b", ["count(*) filter (where true) as b"]],
  ["on conflict (a) do update set b = c where d", ["on conflict (a) do update set b = c where true"]],
  ["case when a then b else c end", ["case when true then b else c end", "case when false then b else c end"]],
  ["a = 1 and b", ["true and b", "a = 1 and true"]],
  ["left join t on a and b", ["left join t on true and b", "left join t on a and true"]],
  [
    "on a.provider_id = b.provider_id and a.order_id = b.id and c",
    [
      "on a.provider_id = b.provider_id and true and c",
      "on a.provider_id = b.provider_id and a.order_id = b.id and true",
    ],
  ],
  [
    "on a.provider_id = b.provider_id and a.at > b.at",
    [
      "on true and a.at > b.at",
      "on a.provider_id = b.provider_id and true",
      "on a.provider_id = b.provider_id and a.at >= b.at",
    ],
  ],
  ["where a.provider_id = b and a.order_id = c", ["where a.provider_id = b and true"]],
  [
    "provider_id = a and order_id = b and id = c",
    ["provider_id = a and true and id = c", "provider_id = a and order_id = b and true"],
  ],
  ["where provider_id = a and id = b", ["where true and id = b", "where provider_id = a and true"]],
  ["case a when 1 then b end", []],
  ["distinct on (a) b", []],
  ["select a -- where b\n'or c' ", []],
])("a condition of %j is removed", (text, changes) => {
  expect(changed(text)).toEqual(changes);
});

it.each([
  ["a < b", "a <= b"],
  ["a <= b", "a < b"],
  ["a > b", "a >= b"],
  ["a >= b", "a > b"],
])("the comparison %j gets a mutant that includes or excludes the bound", (text, other) => {
  expect(changed(text)).toEqual([other]);
});

it("text that only looks like a comparison has no mutant", () => {
  expect(changed("a <> b, c -> 'd', e ->> 'f', g @> h, i => j")).toEqual([]);
});

it.each([
  ["order by a, b", "order by a desc, b"],
  ["order by f(a, b) desc limit_", "order by f(a, b) asc limit_"],
  ["order by a asc", "order by a desc"],
  ["order by a nulls last", "order by a desc nulls last"],
  ["row_number() over (partition by a order by b) as c", "row_number() over (partition by a order by b desc) as c"],
])("the order of %j is reversed", (text, other) => {
  expect(changed(text)).toEqual([other]);
});

it("mutants remove a limit and a lock, and make a lock wait for locked rows", () => {
  expect(changed("from t limit greatest(a, 0) for update of d skip locked")).toEqual([
    "from t  for update of d skip locked",
    "from t limit greatest(a, 0) ",
    "from t limit greatest(a, 0) for update of d ",
  ]);
  expect(changed("(select from t for no key update)")).toEqual(["(select from t )"]);
});

it("SQL mutants leave placeholders alone, whatever these contain", () => {
  const text = "where a = $" + '{f(b < c, "and")} and d';
  const masked = maskFilledIn(text, [{ start: 10, end: text.indexOf(" and d") }]);
  expect(masked).toHaveLength(text.length);
  expect(sqlChanges(masked).map(({ start, end }) => text.slice(start, end))).toEqual([
    "a = $" + '{f(b < c, "and")}',
    "d",
  ]);
});
