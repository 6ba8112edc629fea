import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Kit, KitNotLoaded, loadKit } from "./load-kit.ts";
import { released } from "./released.ts";

const HOST = "https://first.example";
const kit: Kit = { mountCheckout: vi.fn() };

/** The script elements added to the page; the DOM of these tests loads none. */
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

function refuseByPolicy(blockedURI: string): void {
  const violation = new Event("securitypolicyviolation");
  const refused = { blockedURI, disposition: "enforce", effectiveDirective: "script-src-elem" };
  document.dispatchEvent(Object.assign(violation, refused));
}

describe("the kit that the package loads", () => {
  it("is the released one, checked by its hash", () => {
    const all = JSON.parse(readFileSync(join(import.meta.dirname, "../../../released/released.json"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
    expect(released).toEqual({ version, integrity: all[`${version}.classic.js`] });
  });

  it("is loaded by one script per page, with its hash, however often it is requested", async () => {
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

  it("is requested again after a failed load", async () => {
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

  it.each([
    ["csp", "its policy forbids the script", (src: string) => refuseByPolicy(src)],
    ["timeout", "the script does not load", () => scripts[0]?.dispatchEvent(new Event("error"))],
    ["not_ready", "the script defines no kit", () => scripts[0]?.dispatchEvent(new Event("load"))],
    ["timeout", "nothing comes within 20 s", () => vi.advanceTimersByTime(20_000)],
  ])("fails with the reason %s if %s", async (reason, _where, happens) => {
    vi.useFakeTimers();
    const lost = loadKit("https://lost.example", released);
    happens(`https://lost.example/embed/${released.version}.classic.js`);
    vi.runAllTimers();
    await expect(lost).rejects.toMatchObject({
      name: "KitNotLoaded",
      reason,
      message: expect.stringMatching(/^\[aapd\] .*, see \/docs\/embedding#[\w-]+$/),
    });
    vi.useRealTimers();
  });

  it("fails with the reason csp if the page allows no policy of its name", async () => {
    vi.resetModules();
    const { loadKit: loadAgain } = await import("./load-kit.ts");
    const createPolicy = () => {
      throw new TypeError("refused");
    };
    vi.stubGlobal("trustedTypes", { createPolicy });
    await expect(loadAgain("https://typed.example", released)).rejects.toMatchObject({ reason: "csp" });
  });

  it("is loaded through a policy if the page requires trusted types", async () => {
    const createScriptURL = vi.fn((url: string) => url);
    vi.stubGlobal("trustedTypes", { createPolicy: vi.fn(() => ({ createScriptURL })) });
    const loading = loadKit("https://third.example", released);
    expect(createScriptURL).toHaveBeenCalledWith(`https://third.example/embed/${released.version}.classic.js`);
    window.Aapd = kit;
    scripts[0]?.dispatchEvent(new Event("load"));
    await loading;
  });
});
