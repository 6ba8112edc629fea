import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isPackageFileNeeded, packageOf, parts } from "./release-files.mjs";
import { billOfMaterials } from "./sbom.mjs";

/** @param {string} path */
const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("a release has only the files of a package that Node may load, and its licence", () => {
  const needed = ["package.json", "index.js", "lib/index.cjs", "dist/doc/compose.mjs", "data.json", "lib/pdf.wasm"];
  const licences = ["LICENSE", "LICENSE.md", "lib/COPYING.md", "NOTICE.markdown"];
  const unneeded = [
    "README.md",
    "lib/readme.MD",
    "index.d.ts",
    "src/index.mts",
    "index.js.map",
    ".yarn/x.cjs",
    "test/a.js",
  ];
  for (const file of [...needed, ...licences]) assert.equal(isPackageFileNeeded("some", file), true, file);
  for (const file of unneeded) assert.equal(isPackageFileNeeded("some", file), false, file);
  assert.equal(isPackageFileNeeded("@types/node", "package.json"), false);
});

test("the fonts and decoders that the service loads are released", () => {
  const source = read("bff/src/orders/documents/set-document.ts");
  const fonts = [...source.matchAll(/"(dejavu-fonts-ttf)\/([^"]+)"/g)].map(([, name, file]) => [name, file]);
  assert.equal(fonts.length, 2);
  const loaded = [
    ...fonts,
    ["libheif-js", "wasm-bundle.js"],
    ["libheif-js", "libheif-wasm/libheif-bundle.js"],
    ["pdfkit", "js/pdfkit.es5.js"],
    ["fontkit", "dist/module.mjs"],
    ["kysely", "dist/esm/index.js"],
    ["nodemailer", "dist/esm/nodemailer.js"],
    ["zod", "index.js"],
    ["brotli", "decompress.js"],
    ["brotli", "dec/dictionary-data.js"],
  ];
  for (const [name = "", file = ""] of loaded) assert.equal(isPackageFileNeeded(name, file), true, `${name}/${file}`);
  assert.equal(isPackageFileNeeded("dejavu-fonts-ttf", "ttf/DejaVuSerif.ttf"), false);
  assert.equal(isPackageFileNeeded("libheif-js", "libheif/libheif.js"), false);
  assert.equal(isPackageFileNeeded("pdfkit", "js/pdfkit.standalone.js"), false);
});

test("a file belongs to the innermost package that it is in", () => {
  assert.deepEqual(packageOf("node_modules/a/lib/b.js"), { name: "a", file: "lib/b.js" });
  assert.deepEqual(packageOf("node_modules/@s/a/b.js"), { name: "@s/a", file: "b.js" });
  assert.deepEqual(packageOf("node_modules/a/node_modules/@s/c/d.js"), { name: "@s/c", file: "d.js" });
  assert.equal(packageOf("node_modules/.modules.yaml"), null);
  assert.equal(packageOf("node_modules/.bin/pino"), null);
});

test("a release has the files that the service reads at run time, but neither gallery nor sources", () => {
  const takes = (/** @type {string} */ folder, /** @type {string} */ file) =>
    parts.some((part) => part.folder === folder && part.takes(file));
  for (const file of ["main.js", "aapd.js", "claims/pictures/convert-picture.js", "orders/documents/print-document.js"])
    assert.ok(takes("bff/dist/src", file), file);
  for (const file of ["main.d.ts", "main.js.map"]) assert.ok(!takes("bff/dist/src", file), file);
  const parties = ["transbank", "fintoc", "bank-file", "soyio", "whatsapp", "libredte"];
  for (const file of ["kit/run-connector.js", ...parties.map((party) => `${party}/main.js`)])
    assert.ok(takes("bff/dist/connectors", file), file);
  for (const file of ["kit/check/check-run.js", "kit/probe.js", "transbank/stand-in/main.js", "transbank/main.d.ts"])
    assert.ok(!takes("bff/dist/connectors", file), file);
  for (const party of parties) assert.ok(takes(`bff/connectors/${party}/migrations`, "0001_calls.sql"));
  for (const file of ["app/index.html", "server/render.js", "embed/v1.js", "packages/index.json"])
    assert.ok(takes("widget/dist", file), file);
  for (const file of ["app/gallery.html", "app/assets/gallery-en-x.js", "styles/main.css"])
    assert.ok(!takes("widget/dist", file), file);
});

test("a release's bill lists only its own packages, under a unique number", () => {
  const lockfile = read("pnpm-lock.yaml");
  const express = `express@${JSON.parse(read("bff/package.json")).dependencies.express}`;
  const product = { name: "aapd", version: "0.1.0" };
  const bill = billOfMaterials(product, lockfile, new Set([express, "nothing@1.0.0"]));
  assert.deepEqual(
    bill.components.map(({ purl }) => purl),
    [`pkg:npm/${express}`],
  );
  assert.notEqual(bill.serialNumber, billOfMaterials(product, lockfile).serialNumber);
});

test("the changelog begins with the version of this build", () => {
  const { version } = JSON.parse(read("bff/package.json"));
  assert.equal(/^## (.+)$/m.exec(read("bff/CHANGELOG.md"))?.[1], version);
});
