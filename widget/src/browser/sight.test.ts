import { expect, test } from "vitest";
import { createSight } from "./sight.ts";

const PRELOADED = { location: new URL("https://widget.example/?widget_token=t&preload=1"), parent: {} };
const FRAMED = { location: new URL("https://widget.example/?widget_token=t"), parent: {} };

function documentThat(isPrerendering: boolean) {
  const target = Object.assign(new EventTarget(), { prerendering: isPrerendering, visibilityState: "visible" });
  return { target, show: () => target.dispatchEvent(new Event("prerenderingchange")) };
}

function sightOf(window: object, unseen: boolean, isPrerendering = false) {
  const { target, show } = documentThat(isPrerendering);
  const sight = createSight({ window: window as Window, document: target as unknown as Document, unseen });
  return { sight, show, target };
}

test("an opened page is visible from the start", () => {
  const { sight } = sightOf(FRAMED, false);
  expect([sight.isSeen(), sight.wasUnseen]).toEqual([true, false]);
});

test("a prefetched page counts as visible once its scripts run, although the service does not know it", () => {
  const { sight } = sightOf(FRAMED, true);
  expect([sight.isSeen(), sight.wasUnseen]).toEqual([true, true]);
});

test.each([true, false])(
  "a prerendered page is visible once the browser shows it (recognised by its header: %s)",
  async (unseen) => {
    const { sight, show } = sightOf(FRAMED, unseen, true);
    expect([sight.isSeen(), sight.wasUnseen]).toEqual([false, true]);
    show();
    await sight.seen;
    expect(sight.isSeen()).toBe(true);
  },
);

test("a preloaded frame is visible once the embedding page sends hello, but not before that page is shown", async () => {
  const { sight, show } = sightOf(PRELOADED, true, true);
  sight.shownByHost();
  expect(sight.isSeen()).toBe(false);
  show();
  await sight.seen;
  const shown = sightOf(PRELOADED, true);
  expect(shown.sight.isSeen()).toBe(false);
  shown.sight.shownByHost();
  expect(shown.sight.isSeen()).toBe(true);
});

test.each(["pointerdown", "keydown"])(
  "a preloaded frame shown without a hello becomes visible by a press (%s)",
  (press) => {
    const { sight, target } = sightOf(PRELOADED, true);
    target.dispatchEvent(new Event(press));
    expect(sight.isSeen()).toBe(true);
  },
);

test("a top-level page is visible, even with the address of a preloaded frame", () => {
  const window = { ...PRELOADED };
  expect(sightOf(Object.assign(window, { parent: window }), true).sight.isSeen()).toBe(true);
});

/** An event that the browser creates for a person's action, or that a script creates. */
function eventBy(person: boolean, name: string): Event {
  return Object.defineProperty(new Event(name), "isTrusted", { value: person });
}

function actsOn(window: object, { unseen = false, isPrerendering = false, visibilityState = "visible" } = {}) {
  const { sight, show, target } = sightOf(window, unseen, isPrerendering);
  let acts = 0;
  sight.onAct(() => {
    acts += 1;
  });
  const page = Object.assign(target, { visibilityState });
  return { show, acts: () => acts, fire: (name: string, person = true) => page.dispatchEvent(eventBy(person, name)) };
}

test.each(["pointerdown", "keydown", "wheel", "click"])("the patient acts by %s, and a script does not", (name) => {
  const { acts, fire } = actsOn(FRAMED);
  fire(name, false);
  expect(acts()).toBe(0);
  fire(name);
  expect(acts()).toBe(1);
});

test("events caused by scripts or the browser are no acts of the patient", () => {
  const { acts, fire } = actsOn(FRAMED);
  for (const name of ["scroll", "load", "focus", "visibilitychange", "mousemove", "input"]) fire(name);
  expect(acts()).toBe(0);
});

test("events on a hidden, prerendered or preloaded page are no acts of the patient", () => {
  const hidden = actsOn(FRAMED, { visibilityState: "hidden" });
  hidden.fire("click");
  expect(hidden.acts()).toBe(0);
  const prerendered = actsOn(FRAMED, { unseen: true, isPrerendering: true });
  prerendered.fire("click");
  expect(prerendered.acts()).toBe(0);
  prerendered.show();
  prerendered.fire("click");
  expect(prerendered.acts()).toBe(1);
  const preloaded = actsOn(PRELOADED, { unseen: true });
  preloaded.fire("wheel");
  expect(preloaded.acts()).toBe(0);
});
