import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { billOfMaterials, lockedPackages } from "./sbom.mjs";

const LOCKFILE = `lockfileVersion: '9.0'

packages:

  '@scope/a@1.2.3':
    resolution: {integrity: sha512-AAAA}
    engines: {node: '>=20'}

  b@2.0.0:
    resolution: {integrity: sha512-BBBB}

  c@https://codeload.example/c/tar.gz/abc:
    resolution: {tarball: https://codeload.example/c/tar.gz/abc}
    version: 1.0.0

snapshots:

  b@2.0.0: {}
`;

test("a locked package from outside the registry counts as one without a hash", () => {
  assert.deepEqual(
    lockedPackages(LOCKFILE).map(({ name, integrity }) => [name, integrity]),
    [
      ["@scope/a", "sha512-AAAA"],
      ["b", "sha512-BBBB"],
      ["c", null],
    ],
  );
});

test("every package.json pins exact versions", () => {
  const loose = ["", "bff/", "widget/", "host-demo/", "e2e/"].flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(new URL(`../${folder}package.json`, import.meta.url), "utf8"));
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    return versions
      .filter(
        ([, version]) => version !== "workspace:*" && !/^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      )
      .map(([name, version]) => `${folder}package.json: ${name}@${version}`);
  });
  assert.deepEqual(loose, []);
});

test("every package in pnpm-lock.yaml comes from the registry and has a hash", () => {
  const lockfile = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
  const packages = lockedPackages(lockfile);
  assert.equal(packages.length, lockfile.split("resolution: {").length - 1);
  assert.ok(packages.every(({ integrity }) => integrity !== null));
});

test("the bill of materials lists each package with address and hash, and depends only on the lock file", () => {
  const product = { name: "aapd", version: "0.1.0" };
  const bill = billOfMaterials(product, LOCKFILE);
  assert.deepEqual(bill.components[0], {
    type: "library",
    "bom-ref": "pkg:npm/%40scope/a@1.2.3",
    name: "@scope/a",
    version: "1.2.3",
    purl: "pkg:npm/%40scope/a@1.2.3",
    hashes: [{ alg: "SHA-512", content: "000000" }],
  });
  assert.deepEqual(billOfMaterials(product, LOCKFILE), bill);
});
