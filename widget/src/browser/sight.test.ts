import { expect, test } from "vitest";
import { createSight } from "./sight.ts";

const PRELOADED = { location: new URL("https://widget.example/?widget_token=t&preload=1"), parent: {} };
const FRAMED = { location: new URL("https://widget.example/?widget_token=t"), parent: {} };

function documentThat(isPrerendering: boolean) {
  const target = Object.assign(new EventTarget(), { prerendering: isPrerendering });
  return { target, show: () => target.dispatchEvent(new Event("prerenderingchange")) };
}

function sightOf(window: object, unseen: boolean, isPrerendering = false) {
  const { target, show } = documentThat(isPrerendering);
  const sight = createSight({ window: window as Window, document: target as unknown as Document, unseen });
  return { sight, show, target };
}

test("a page that is opened is seen from the start", () => {
  const { sight } = sightOf(FRAMED, false);
  expect([sight.isSeen(), sight.wasUnseen]).toEqual([true, false]);
});

test("a prefetched page is seen once its scripts run, and the service does not know it", () => {
  const { sight } = sightOf(FRAMED, true);
  expect([sight.isSeen(), sight.wasUnseen]).toEqual([true, true]);
});

test.each([true, false])(
  "a prerendered page is seen once the browser shows it (unseen by its header: %s)",
  async (unseen) => {
    const { sight, show } = sightOf(FRAMED, unseen, true);
    expect([sight.isSeen(), sight.wasUnseen]).toEqual([false, true]);
    show();
    await sight.seen;
    expect(sight.isSeen()).toBe(true);
  },
);

test("a preloaded frame is seen once the page around says hello, and not before its own page is shown", async () => {
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
  "a preloaded frame that is shown without a word is seen by who presses (%s)",
  (press) => {
    const { sight, target } = sightOf(PRELOADED, true);
    target.dispatchEvent(new Event(press));
    expect(sight.isSeen()).toBe(true);
  },
);

test("the address of a preloaded frame that is opened as a page of its own is seen", () => {
  const window = { ...PRELOADED };
  expect(sightOf(Object.assign(window, { parent: window }), true).sight.isSeen()).toBe(true);
});
