import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { billOfMaterials } from "./sbom.mjs";
import { changedPnpm, lockedPackages, loosePins, otherPnpm } from "./supply-chain.mjs";

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

test("only exact versions are pins", () => {
  const manifest = {
    dependencies: { a: "^1.0.0", b: "1.0.0", c: "latest" },
    devDependencies: { d: "workspace:*", e: "~2.1.0" },
  };
  assert.deepEqual(loosePins("bff", manifest), [
    "bff: a@^1.0.0 is no exact version",
    "bff: c@latest is no exact version",
    "bff: e@~2.1.0 is no exact version",
  ]);
});

test("what comes from elsewhere than the registry has no hash that counts", () => {
  assert.deepEqual(
    lockedPackages(LOCKFILE).map(({ name, integrity }) => [name, integrity]),
    [
      ["@scope/a", "sha512-AAAA"],
      ["b", "sha512-BBBB"],
      ["c", null],
    ],
  );
});

test("every package of the real lock file is read", () => {
  const lockfile = readFileSync(new URL("../pnpm-lock.yaml", import.meta.url), "utf8");
  const packages = lockedPackages(lockfile);
  assert.equal(packages.length, lockfile.split("resolution: {").length - 1);
  assert.ok(packages.every(({ integrity }) => integrity !== null));
});

test("another pnpm than the pinned one is named, and a pin without a hash too", () => {
  const pinned = { packageManager: `pnpm@10.34.8+sha512.${"a".repeat(128)}` };
  assert.deepEqual(otherPnpm(pinned, "pnpm/10.34.8 npm/? node/v20"), []);
  assert.deepEqual(otherPnpm(pinned, "pnpm/10.1.0 npm/?"), ["pnpm 10.1.0 runs, and 10.34.8 is pinned"]);
  assert.equal(otherPnpm({ packageManager: "pnpm@10.34.8" }, "").length, 1);
});

test("a pnpm that the registry changed is named, and where no registry answers nothing is", async () => {
  const hash = Buffer.alloc(64, 1);
  const pinned = { packageManager: `pnpm@10.34.8+sha512.${hash.toString("hex")}` };
  const serving = (/** @type {Buffer} */ bytes) => async () =>
    new Response(JSON.stringify({ dist: { integrity: `sha512-${bytes.toString("base64")}` } }));
  assert.deepEqual(await changedPnpm(pinned, serving(hash)), []);
  assert.equal((await changedPnpm(pinned, serving(Buffer.alloc(64, 2)))).length, 1);
  assert.deepEqual(await changedPnpm(pinned, async () => new Response("", { status: 405 })), []);
  assert.deepEqual(await changedPnpm(pinned, () => Promise.reject(new Error("offline"))), []);
});

test("the bill of materials names each package with its address and hash, and the same lock file gives the same", () => {
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
