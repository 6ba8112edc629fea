import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express, { type Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mountGallery } from "../../src/frame/gallery.ts";
import { inlineHashes, sourceOf } from "../../src/frame/page-policy.ts";
import { startBff, type TestBff } from "../start-bff.ts";

let folder: string;
let bff: TestBff;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-gallery-"));
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "gallery.html"), "<!doctype html><style>p{margin:0}</style><p>Gallery");
  await writeFile(join(folder, "gallery.json"), '{"states":[]}');
  bff = await startBff({ widget: { kind: "built", widget: builtWidget(folder) } });
});
afterAll(async () => {
  await bff.close();
  await rm(folder, { recursive: true, force: true });
});

function builtWidget(appFolder: string) {
  const template = "<!doctype html>";
  const renderer = { renderApp: () => "" };
  return {
    template,
    styledTemplate: template,
    inline: inlineHashes(template),
    renderer,
    assetsFolder: join(appFolder, "assets"),
    embedFolder: appFolder,
    packagesFolder: appFolder,
  };
}

describe("the designers' gallery on the widget host", () => {
  it("is a page that any page may frame, under a policy without exceptions", async () => {
    const answer = await fetch(`${bff.widgetHost}/gallery.html?state=card`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("Gallery");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors *");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toMatch(/style-src 'self' 'sha256-[\w+/=]+'/);
    expect(policy).not.toContain("unsafe");
  });

  it("lists the names of its states", async () => {
    const answer = await fetch(`${bff.widgetHost}/gallery.json`);
    expect(await answer.json()).toEqual({ states: [] });
  });

  it("allows the scripts that Vite's server injects", async () => {
    const script = "window.$RefreshReg$ = () => {};";
    const app: Express = express();
    const asked: string[] = [];
    const readPage = async (path: string) => {
      asked.push(path);
      return `<!doctype html><script type="module">${script}</script>`;
    };
    mountGallery(app, { kind: "development", url: "http://127.0.0.1:9", readPage });
    app.use((_request, response) => response.end("forwarded"));
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/gallery.html?state=card`);
    server.close();
    expect(await answer.text()).toBe("forwarded");
    expect(answer.headers.get("content-security-policy")).toContain(`script-src 'self' ${sourceOf(script)};`);
    expect(asked).toEqual(["/gallery.html"]);
  });

  it("is absent with real parties, and so are its scripts, however their paths are spelled", async () => {
    await writeFile(join(folder, "assets/gallery-a1b2.js"), "export {};");
    await writeFile(join(folder, "assets/index-a1b2.js"), "export {};");
    const real = {
      CONNECTOR_URL: "http://127.0.0.1:9",
      CONNECTOR_TOKEN: "a-token-of-the-connector",
      CARD_CHALLENGE_ORIGIN: "http://127.0.0.1:9",
      FINANCING_PROVIDER_NAME: "Financiera SpA",
      SMTP_URL: "smtp://127.0.0.1:9",
      MESSAGING_URL: "http://127.0.0.1:9",
      MESSAGING_TOKEN: "a-token-of-the-gateway",
    };
    const status = async (host: TestBff, path: string) => (await fetch(`${host.widgetHost}${path}`)).status;
    const builtService = await startBff({ environment: real, widget: { kind: "built", widget: builtWidget(folder) } });
    const script = ["/assets/gallery-a1b2.js", "/assets/%67allery-a1b2.js", "/assets//gallery-a1b2.js"];
    for (const path of ["/gallery.html", "/gallery.json", ...script])
      expect(await status(builtService, path)).toBe(404);
    expect(await status(builtService, "/assets/index-a1b2.js")).toBe(200);
    expect(await status(builtService, "/assets/%E0%A4%A")).toBe(404);
    await builtService.close();
    expect(await status(bff, "/assets/gallery-a1b2.js")).toBe(200);
  });

  it("is missing if it was not built", () => {
    const app: Express = express();
    mountGallery(app, { kind: "built", widget: builtWidget(join(folder, "nothing-here/app")) });
    expect(app.router.stack).toEqual([]);
  });
});
