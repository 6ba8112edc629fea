import assert from "node:assert/strict";
import { test } from "node:test";
import {
  always,
  eventually,
  type Formula,
  given,
  next,
  now,
  observe,
  type Timed,
  unless,
  until,
  type Verdict,
  verdict,
  whenever,
  withVerdict,
} from "./temporal.ts";

interface Light extends Timed {
  readonly shows: string;
}

const shows = (text: string) => now<Light>((light) => light.shows === text);
const showsNot = (text: string) => now<Light>((light) => light.shows !== text);

/** One state per second, each with one letter. */
function trace(letters: string): Light[] {
  return [...letters].map((letter, second) => ({ atMs: second * 1_000, shows: letter }));
}

/** The verdict after each state of the trace. */
function verdicts(formula: Formula<Light>, letters: string): Verdict[] {
  let rest: { [name: string]: Formula<Light> } = { formula };
  return trace(letters).map((state) => {
    rest = observe(rest, state);
    return rest.formula === undefined ? "violated" : verdict(rest.formula);
  });
}

function last(formula: Formula<Light>, letters: string): Verdict | undefined {
  return verdicts(formula, letters).at(-1);
}

test("a test of the present state ignores later states", () => {
  assert.equal(last(shows("a"), "abc"), "holds");
  assert.equal(last(shows("a"), "bac"), "violated");
});

test("`next` is judged by the second state, and holds for a trace of one state", () => {
  assert.equal(last(next(shows("b")), "a"), "holds");
  assert.equal(last(next(shows("b")), "ab"), "holds");
  assert.equal(last(next(shows("b")), "ac"), "violated");
});

test("`always` fails at the first state that breaks it, and stays failed", () => {
  assert.deepEqual(verdicts(always(showsNot("x")), "aaxa"), ["holds", "holds", "violated", "violated"]);
});

test("`eventually` is pending until it holds, and violated at its time limit", () => {
  assert.deepEqual(verdicts(eventually(2_000, shows("b")), "aab"), ["pending", "pending", "holds"]);
  assert.deepEqual(verdicts(eventually(2_000, shows("b")), "aaa"), ["pending", "pending", "violated"]);
});

test("`eventually` also accepts the first state after its time limit", () => {
  const late = observe({ late: eventually<Light>(500, shows("b")) }, { atMs: 0, shows: "a" });
  assert.deepEqual(withVerdict(observe(late, { atMs: 900, shows: "b" }), "holds"), ["late"]);
  assert.deepEqual(withVerdict(observe(late, { atMs: 900, shows: "a" }), "violated"), ["late"]);
});

test("`always` with `eventually` gives each occasion its own time limit", () => {
  const answered = always(whenever<Light>((light) => light.shows === "q", eventually(2_000, shows("a"))));
  assert.equal(last(answered, "q-aq-a"), "holds");
  assert.equal(last(answered, "q-aq-"), "pending");
  assert.equal(last(answered, "q-aq---"), "violated");
});

test("`until` requires its end to come, and the first part to hold only before it", () => {
  const waiting = until(shows("w"), shows("e"));
  assert.deepEqual(verdicts(waiting, "wwe-"), ["pending", "pending", "holds", "holds"]);
  assert.deepEqual(verdicts(waiting, "ww-e"), ["pending", "pending", "violated", "violated"]);
  assert.equal(last(waiting, "e"), "holds");
});

test("`unless` holds even if its end never comes", () => {
  assert.equal(last(unless(shows("w"), shows("e")), "www"), "holds");
  assert.equal(last(unless(shows("w"), shows("e")), "we-"), "holds");
  assert.equal(last(unless(shows("w"), shows("e")), "w-e"), "violated");
});

test("`given` compares later states with the state in which it was created", () => {
  const neverReturns = always(given<Light>(({ shows: first }) => next(always(showsNot(first)))));
  assert.equal(last(neverReturns, "abc"), "holds");
  assert.equal(last(neverReturns, "abca"), "violated");
});

test("after one state, always another: violated only in this order", () => {
  const rule = always(whenever<Light>((light) => light.shows === "d", always(showsNot("n"))));
  assert.equal(last(rule, "nand"), "holds");
  assert.equal(last(rule, "andan"), "violated");
});

test("a formula does not grow with a trace that changes nothing", () => {
  const rule = always(whenever<Light>((light) => light.shows === "d", always(showsNot("n"))));
  let rest: { [name: string]: Formula<Light> } = { rule };
  for (const state of trace("d".repeat(200))) rest = observe(rest, state);
  const { rule: left } = rest;
  assert.ok(left?.is === "both" && left.formulas.length === 2);
});

test("each property is judged separately", () => {
  const properties = { one: always(showsNot("x")), other: eventually<Light>(60_000, shows("z")) };
  const after = trace("ab").reduce(observe<Light>, properties);
  assert.deepEqual([withVerdict(after, "holds"), withVerdict(after, "pending")], [["one"], ["other"]]);
  const later = observe(after, { atMs: 5_000, shows: "x" });
  assert.deepEqual(withVerdict(later, "violated"), ["one"]);
});
