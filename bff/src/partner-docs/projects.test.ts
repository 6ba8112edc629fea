import { createHash } from "node:crypto";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { Deployment } from "./openapi.ts";
import { PACKAGES_VERSION, RELEASED_PACKAGES } from "./packages.ts";
import { PROJECTS, readProject, zipProject } from "./projects.ts";

const deployment: Deployment = {
  environment: "staging",
  orderApiUrl: "https://order.example",
  spotApiUrl: "https://spot.example",
  widgetHostUrl: "https://widget.example",
  signatureWord: "Brand",
};

describe.each(PROJECTS)("the project %s", (name) => {
  const project = readProject(name, deployment, RELEASED_PACKAGES);

  it("has its page, receipt, README and test, and hides its keys from git", () => {
    expect(Object.keys(project)).toEqual(expect.arrayContaining(["README.md", ".env.example", "boleta.pdf"]));
    expect(Object.keys(project).some((path) => /test|spec/.test(path))).toBe(true);
    expect(project[".gitignore"]).toMatch(/^\.env$/m);
    expect(project[".gitignore"]).toMatch(/^\.aapd\/$/m);
  });

  it("names this deployment's addresses and packages, and no placeholder", () => {
    const text = Object.values(project).join("\n");
    expect(text).not.toMatch(/https:\/\/(?:ORDER_API|SPOT_API|WIDGET_HOST)|VERSION\.tgz/);
    expect(project[".env.example"]).toContain("SPOT_API=https://spot.example\n");
    const packages = [...text.matchAll(/https:\/\/widget\.example\/packages\/aapd-\w+-(.*?)\.tgz/g)];
    expect(packages.map(([, version]) => version)).toEqual(packages.map(() => PACKAGES_VERSION));
  });

  it("installs the packages of the same build", () => {
    const preview = readProject(name, deployment, { version: "9.0.0-next-ab", isPreview: true });
    const text = Object.values(preview).join("\n");
    expect(text).toMatch(/https:\/\/widget\.example\/packages\/next\/aapd-server-9\.0\.0-next-ab\.tgz/);
    expect(text).not.toContain(PACKAGES_VERSION);
  });

  it("is an archive of one folder, byte for byte the same at each build", () => {
    const archive = zipProject(name, project);
    const unpacked = Object.entries(unzipSync(archive)).map(([path, bytes]) => [path, strFromU8(bytes)]);
    expect(unpacked).toEqual(Object.entries(project).map(([path, text]) => [`aapd-${name}/${path}`, text]));
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    expect(digest(zipProject(name, readProject(name, deployment, RELEASED_PACKAGES)))).toBe(digest(archive));
  });
});
