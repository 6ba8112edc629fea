import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * Prints a bill of materials (CycloneDX 1.6) of every package in the lock file, including the tools that build and
 * test. A release has a bill of only its contents (`build-release.mjs`). The same lock file gives the same text.
 */

/**
 * The packages of a lock file, each with its hash, which is null if the package has none or is not from the registry.
 *
 * @param {string} lockfile
 * @returns {{ name: string, version: string, integrity: string | null }[]}
 */
export function lockedPackages(lockfile) {
  const section = /\npackages:\n([\s\S]*?)\n(?=\S)/.exec(`${lockfile}\nend:`)?.[1] ?? "";
  return section.split(/\n(?= {2}\S)/).flatMap((entry) => {
    const [, name = "", version = ""] = /^\n? {2}'?(@?[^@'\n]+)@([^:'\n]+|[^'\n]+)'?:\n/.exec(entry) ?? [];
    if (name === "") return [];
    const isExotic = /tarball:|type: git|repo:/.test(entry) || !/^\d/.test(version);
    return [{ name, version, integrity: isExotic ? null : (/integrity: (sha512-[\w+/=]+)/.exec(entry)?.[1] ?? null) }];
  });
}

/**
 * @param {{ name: string, version: string }} product
 * @param {string} lockfile
 * @param {ReadonlySet<string>} [only] The packages to include, as `name@version`; default: all.
 */
export function billOfMaterials({ name, version }, lockfile, only) {
  const locked = lockedPackages(lockfile).filter((each) => only?.has(`${each.name}@${each.version}`) ?? true);
  const components = locked.map((each) => {
    const purl = `pkg:npm/${each.name.replace("@", "%40")}@${each.version}`;
    const content = Buffer.from((each.integrity ?? "").replace("sha512-", ""), "base64").toString("hex");
    return {
      type: "library",
      "bom-ref": purl,
      name: each.name,
      version: each.version,
      purl,
      hashes: [{ alg: "SHA-512", content }],
    };
  });
  const digits = createHash("sha256")
    .update(lockfile)
    .update(only ? JSON.stringify(components) : "")
    .digest("hex");
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-5${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: { component: { type: "application", "bom-ref": name, name, version } },
    components,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const read = (/** @type {string} */ file) => readFileSync(join(process.cwd(), file), "utf8");
  const bill = billOfMaterials(JSON.parse(read("package.json")), read("pnpm-lock.yaml"));
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
}
