import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "../../../src/app/run-command.ts";
import { PAGE_MARKERS } from "../../../src/contract/widget-page.ts";
import { readBuiltWidget } from "../../../src/frame/open-widget.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/*
 * An attacker changes what the widget host serves. Anyone with a build of the same commit can detect this from outside.
 */

let folder: string;
let bff: TestBff;
const served = () => join(folder, "served");
const built = () => join(folder, "built");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "aapd-served-"));
  for (const name of ["app/assets", "embed", "server"]) await mkdir(join(built(), name), { recursive: true });
  const page = `<!doctype html><html lang="${PAGE_MARKERS.lang}"><body><div id="app">${PAGE_MARKERS.html}</div>
    <script>window.aapdPress = {};</script>${PAGE_MARKERS.state}${PAGE_MARKERS.laterStyles}
    <script type="module" src="/assets/main-a1b2.js" integrity="sha384-x"></script></body></html>`;
  await writeFile(join(built(), "app/index.html"), page);
  await writeFile(join(built(), "app/assets/main-a1b2.js"), "export {};");
  await writeFile(join(built(), "app/assets/main-a1b2.js.gz"), gzipSync("export {};"));
  await writeFile(join(built(), "app/assets/gallery-a1b2.js"), "export {};");
  await writeFile(join(built(), "embed/v1.js"), "export {};");
  await writeFile(join(built(), "server/render.js"), "export const renderApp = () => '<main></main>';");
  await cp(built(), served(), { recursive: true });
  bff = await startBff({ widget: { kind: "built", widget: await readBuiltWidget(served()) } });
});
afterAll(async () => {
  await bff.close();
  await rm(folder, { recursive: true, force: true });
});

async function compare(url = bff.widgetHost): Promise<{ code: number; error: string }> {
  const errors: string[] = [];
  const terminal = { write: () => undefined, writeError: (text: string) => void errors.push(text) };
  return { code: await runCommand(terminal, ["page", "compare", url, "--built", built()]), error: errors.join("") };
}

it("the served page is identical to the build if untouched", async () => {
  expect(await compare()).toEqual({ code: 0, error: "" });
});

it.each([
  ["a script", "app/assets/main-a1b2.js", "steal();", "/assets/main-a1b2.js (identity) differs from the build"],
  [
    "only the compressed copy of one",
    "app/assets/main-a1b2.js.gz",
    gzipSync("steal();"),
    "main-a1b2.js (gzip) differs",
  ],
  ["the kit of partners' pages", "embed/v1.js", "steal();", "/embed/v1.js (br) differs from the build"],
])("a changed page is reported: %s", async (_what, file, content, message) => {
  await writeFile(join(served(), file), content);
  const { code, error } = await compare();
  await cp(join(built(), file), join(served(), file));
  expect([code, error]).toEqual([1, expect.stringContaining(message)]);
  expect((await compare()).code).toBe(0);
});

it("added and removed scripts and a wider policy are reported", async () => {
  const widget = await readBuiltWidget(served());
  const template = widget.template
    .replace("</body>", "<script>steal()</script></body>")
    .replace(/<script type="module".*?<\/script>/, "");
  const changed = {
    ...widget,
    template,
    styledTemplate: template,
    inline: { scripts: ["'unsafe-inline'"], styles: [] },
  };
  const other = await startBff({ widget: { kind: "built", widget: changed } });
  const { code, error } = await compare(other.widgetHost);
  await other.close();
  expect(code).toBe(1);
  expect(error).toContain("which was not built");
  expect(error).toContain("the page lacks /assets/main-a1b2.js");
  expect(error).toContain("the policy's script-src is 'self' 'unsafe-inline'");
});
