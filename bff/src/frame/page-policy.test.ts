import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { inlineHashes, type PagePolicyInput, pagePolicy } from "./page-policy.ts";

const input: PagePolicyInput = {
  frameAncestors: ["https://clinic.example"],
  logoUrl: "https://cdn.example/logo.svg",
  frames: ["https://bank.example", "https://checkout.example/return/"],
  inline: { scripts: [], styles: ["'sha256-x'"] },
  reportUrl: "/csp-reports",
  devServerUrl: null,
};

it("the page's policy names every source and allows nothing unsafe", () => {
  const policy = pagePolicy(input);
  expect(policy["default-src"]).toEqual(["'none'"]);
  expect(policy["style-src"]).toEqual(["'self'", "'sha256-x'"]);
  expect(policy["img-src"]).toEqual(["'self'", "data:", "https://cdn.example"]);
  expect(policy["frame-src"]).toEqual(input.frames);
  expect(JSON.stringify(policy)).not.toMatch(/unsafe|\*/);
});

it("the page's policy forbids creating code from text, except under Vite's server", () => {
  expect(pagePolicy(input)).toMatchObject({ "require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"] });
  const served = pagePolicy({ ...input, devServerUrl: "http://127.0.0.1:4031" });
  expect(Object.keys(served).filter((name) => name.includes("trusted"))).toEqual([]);
});

it("only the token's origins may frame the page, and none may without a token", () => {
  expect(pagePolicy(input)["frame-ancestors"]).toEqual(["https://clinic.example"]);
  expect(pagePolicy({ ...input, frameAncestors: [] })["frame-ancestors"]).toEqual(["'none'"]);
});

it.each([["javascript:alert(1)"], ["not a url"], ["data:image/png;base64,x"]])(
  "a logo at %s adds no source to the page's policy",
  (logoUrl) => {
    expect(pagePolicy({ ...input, logoUrl })["img-src"]).toEqual(["'self'", "data:"]);
  },
);

it("the page's policy hashes inline scripts and styles, but no data blocks or scripts with a source", () => {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const html = `<style>a{}</style><script>run()</script><script type="module" src="/a.js"></script>
    <script type="application/json">{}</script>`;
  expect(inlineHashes(html)).toEqual({ scripts: [hash("run()")], styles: [hash("a{}")] });
});
