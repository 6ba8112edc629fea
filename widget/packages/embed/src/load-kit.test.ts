import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Kit, KitNotLoaded, loadKit } from "./load-kit.ts";
import { released } from "./released.ts";

const HOST = "https://widget.example";
const kit: Kit = { mountCheckout: vi.fn() };

/** What was put into the page; the browser of these tests would load it. */
let scripts: HTMLScriptElement[] = [];

beforeEach(() => {
  scripts = [];
  vi.spyOn(document.head, "append").mockImplementation((node) => {
    if (node instanceof HTMLScriptElement) scripts.push(node);
  });
});
afterEach(() => {
  delete window.Aapd;
  vi.unstubAllGlobals();
});

describe("the kit that the package loads", () => {
  it("is the one that is released, by its hash", () => {
    const all = JSON.parse(readFileSync(join(import.meta.dirname, "../../../released/released.json"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
    expect(released).toEqual({ version, integrity: all[`${version}.classic.js`] });
  });

  it("is one script for a page, however often it is asked for, with its hash", async () => {
    const asked = [loadKit(HOST, released), loadKit(HOST, released)];
    expect(scripts).toHaveLength(1);
    const [script] = scripts;
    expect(script).toMatchObject({
      src: `${HOST}/embed/${released.version}.classic.js`,
      integrity: released.integrity,
      crossOrigin: "anonymous",
    });
    window.Aapd = kit;
    script?.dispatchEvent(new Event("load"));
    expect(await Promise.all(asked)).toEqual([kit, kit]);
  });

  it("is asked for anew after it did not come", async () => {
    const host = "https://second.example";
    const lost = loadKit(host, released);
    scripts[0]?.dispatchEvent(new Event("error"));
    await expect(lost).rejects.toBeInstanceOf(KitNotLoaded);
    const again = loadKit(host, released);
    window.Aapd = kit;
    expect(scripts).toHaveLength(2);
    scripts[1]?.dispatchEvent(new Event("load"));
    await expect(again).resolves.toBe(kit);
  });

  it("goes through a policy where the page demands trusted types", async () => {
    const createScriptURL = vi.fn((url: string) => url);
    vi.stubGlobal("trustedTypes", { createPolicy: vi.fn(() => ({ createScriptURL })) });
    const loading = loadKit("https://third.example", released);
    expect(createScriptURL).toHaveBeenCalledWith(`https://third.example/embed/${released.version}.classic.js`);
    window.Aapd = kit;
    scripts[0]?.dispatchEvent(new Event("load"));
    await loading;
  });
});
