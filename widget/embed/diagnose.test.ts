import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { diagnose } from "./diagnose.ts";
import { type Checkout, type CheckoutOptions, mountCheckout } from "./mount-checkout.ts";
import { CHECKOUT_URL, setStage } from "./test/stage.ts";

/* The kit loads `diagnose.js` by its address, which no DOM of these tests can: each test calls it as the kit does. */

let lines: string[] = [];
const checkouts: Checkout[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("isSecureContext", true);
  lines = [];
  vi.spyOn(console, "error").mockImplementation((line) => lines.push(line));
});
afterEach(() => {
  for (const checkout of checkouts.splice(0)) checkout.destroy();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const mount = (options: Partial<CheckoutOptions> = {}) => {
  const stage = setStage();
  checkouts.push(mountCheckout(stage.container, { url: CHECKOUT_URL, ...options }));
  const { iframe, dialog } = stage;
  const setState = async (state: string): Promise<void> => {
    dialog().dataset.state = state;
    await vi.advanceTimersByTimeAsync(10_000);
  };
  return { ...stage, frame: iframe(), setState };
};

const anchors = () => lines.map((line) => /^\[aapd\] .+, see \/docs\/embedding#([\w-]+)$/.exec(line)?.[1]);

describe("the console of a page under development", () => {
  it.each([
    ["csp", "csp"],
    ["timeout", "timeout"],
    ["version", "version"],
    ["not_ready", "origin"],
  ] as const)("names the cause of the load error %s, once", (reason, anchor) => {
    const { frame } = mount();
    diagnose(frame, { type: "load_error", reason });
    diagnose(frame, { type: "load_error", reason });
    expect(anchors()).toEqual([anchor]);
  });

  it.each(["widget_token_expired", "widget_token_revoked", "widget_token_not_found"])(
    "names a link that is refused as %s",
    (code) => {
      diagnose(mount().frame, { type: "error", code, audience: "patient", recoverable: true, trace_id: null });
      expect(anchors()).toEqual(["token"]);
      expect(lines[0]).toContain(code);
    },
  );

  it("says nothing about errors that the patient must resolve", () => {
    const card = { code: "card_declined", audience: "patient", recoverable: true, trace_id: null };
    diagnose(mount().frame, { type: "error", ...card });
    expect(lines).toEqual([]);
  });

  it.each([
    ["sandbox", "origin", "null"],
    ["https", "isSecureContext", false],
  ])("names %s when the checkout is mounted", (anchor, property, value) => {
    vi.stubGlobal(property, value);
    diagnose(mount().frame);
    expect(anchors()).toEqual([anchor]);
  });

  it("names a second checkout of one url, but not one that has replaced another", () => {
    const first = mount();
    diagnose(first.frame);
    checkouts.pop()?.destroy();
    diagnose(mount().frame);
    expect(lines).toEqual([]);
    diagnose(mount().frame);
    expect(anchors()).toEqual(["mounted-twice"]);
  });

  it("names no pages of different addresses without a token, as in the designers' gallery", () => {
    for (const state of ["summary", "review"])
      diagnose(mount({ url: `https://widget.example/gallery.html?state=${state}` }).frame);
    expect(lines).toEqual([]);
  });

  it("names what hides a checkout that is ready, and not one that the page shows then", async () => {
    const { container, frame, setState } = mount();
    container.id = "checkout";
    container.style.display = "none";
    diagnose(frame);
    expect(lines).toEqual([]);
    await setState("ready");
    expect(lines).toEqual([expect.stringMatching(/^\[aapd\] div#checkout hides the checkout, .*#hidden$/)]);

    const shown = mount({ url: CHECKOUT_URL.replace("token-1", "token-2") });
    shown.container.style.display = "none";
    diagnose(shown.frame);
    shown.dialog().dataset.state = "ready";
    shown.container.style.display = "block";
    await shown.setState("ready");
    expect(lines).toHaveLength(1);
  });

  it("names a hidden checkout as the cause of its failure", () => {
    const { container, frame } = mount();
    container.style.visibility = "hidden";
    diagnose(frame, { type: "load_error", reason: "not_ready" });
    expect(anchors()).toEqual(["hidden"]);
  });
});

it("the kit itself reports a page over https without the attribute, and loads nothing", () => {
  vi.stubGlobal("location", { href: "https://clinic.example/" });
  mount();
  vi.advanceTimersByTime(20_000);
  expect(lines).toEqual(["[aapd] timeout, see /docs/embedding#debug"]);
});

it("the guide has a section for each message", () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
  const found = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name = ""]) => name);
  const sections = found(read("bff/docs/site/guide/en/embedding.md"), /^## .+ \{#([\w-]+)\}$/gm);
  const loader = read("widget/packages/embed/src/load-kit.ts");
  const anchors = [
    ...["element", "url"],
    ...found(read("widget/embed/diagnose.ts"), /^ {2}\| "([\w-]+)"/gm),
    ...found(/ANCHORS.*?\};/s.exec(loader)?.[0] ?? "", /: "([\w-]+)"/g),
    ...["widget/embed/mount-checkout.ts", "widget/index.html"].flatMap((file) =>
      found(read(file), /docs\/embedding#([a-z-]+)/g),
    ),
  ];
  expect(anchors.length).toBe(2 + 11 + 4 + 2);
  expect(anchors.filter((anchor) => !sections.includes(anchor))).toEqual([]);
});
