import type { SandboxKeys } from "../keys.ts";
import { type Finding, fine, mistake, warning } from "./finding.ts";
import { allows, isUnsafe, sandboxOf } from "./policy.ts";

/** A page as received, with its same-origin scripts. */
export interface SeenPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
  readonly scripts: readonly { readonly url: string; readonly text: string }[];
  /** `/embed/manifest.json`: the integrity of each file of the kit. */
  readonly kit: Readonly<Record<string, string>>;
  /** Null if the service did not reveal it. */
  readonly isOriginRegistered: boolean | null;
}

const SCRIPTS_MAX = 40;
/** Matches the call's address in code, but not in prose (`POST /api/spot/widget`). */
const MINT = /\S\/api\/spot\/widget(?![\w/])/;
const SECRET = /\b(?:cs|ak|whsec)_[\w-]{16,}/;

/** Judges the page and what it loads from its own origin. Runs nothing. */
export function judgePage(page: SeenPage, keys: Pick<SandboxKeys, "addresses" | "credentials">): Finding[] {
  const host = new URL(keys.addresses.widget_host).origin;
  if (page.status !== 200) {
    const change = `Give doctor an address that shows the checkout; ${page.url} answered ${page.status}.`;
    return [mistake("page_not_there", `The page answered ${page.status}.`, change)];
  }
  return [...judgeTransport(page), ...judgePolicy(page, host), ...judgeKit(page, host), ...judgeSecrets(page, keys)];
}

function judgeTransport({ url, isOriginRegistered, headers }: SeenPage): Finding[] {
  const { protocol, hostname, origin } = new URL(url);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const embedder = headers["cross-origin-embedder-policy"];
  return [
    protocol === "https:" || isLocal
      ? fine("page_secure", "The page is served securely.")
      : mistake("page_not_secure", "The page is served without TLS.", `Serve it as https://${new URL(url).host}.`),
    ...(isOriginRegistered === true ? [fine("origin_registered", `${origin} is registered.`)] : []),
    ...(isOriginRegistered === false
      ? [
          mistake(
            "origin_not_registered",
            `${origin} is not registered, so that the frame is refused there.`,
            `Have ${origin} registered with us; in the sandbox: npx aapd-dev sandbox --new --origin ${origin}`,
          ),
        ]
      : []),
    ...(embedder === undefined || embedder === "unsafe-none"
      ? []
      : [
          mistake(
            "embedder_policy",
            `Cross-Origin-Embedder-Policy: ${embedder} keeps the frame from loading.`,
            "Leave Cross-Origin-Embedder-Policy out on pages with the checkout.",
          ),
        ]),
  ];
}

/** The policies of the header and of `<meta>`. The page must satisfy each. */
function policiesOf({ headers, html }: SeenPage): string[] {
  const metas = [...html.matchAll(/<meta\b[^>]*http-equiv=["']?content-security-policy["']?[^>]*>/gi)];
  const inPage = metas.map(([tag]) => /\bcontent=(?:"([^"]*)"|'([^']*)')/i.exec(tag));
  return [headers["content-security-policy"], ...inPage.map((found) => found?.[1] ?? found?.[2])].filter(
    (policy) => policy !== undefined,
  );
}

function judgePolicy(page: SeenPage, host: string): Finding[] {
  const policies = policiesOf(page);
  if (policies.length === 0) {
    const change = `Content-Security-Policy: script-src 'self' ${host}; frame-src ${host}`;
    return [warning("policy_missing", "The page has no content security policy.", change)];
  }
  const lacking = policies.map(sandboxOf).find((flags) => flags !== null && !flags.includes("allow-same-origin"));
  if (lacking !== undefined)
    return [
      mistake(
        "policy_sandbox",
        "The policy puts the page into a sandbox without its origin, so that the checkout refuses it.",
        "Remove sandbox from Content-Security-Policy, or add allow-scripts allow-same-origin allow-forms allow-popups.",
      ),
    ];
  return [
    policies.every((policy) => allows(policy, "script-src", host))
      ? fine("policy_script", "The policy lets the kit load.")
      : mistake("policy_script", "The policy forbids the kit's script.", `Add ${host} to script-src.`),
    policies.every((policy) => allows(policy, "frame-src", host))
      ? fine("policy_frame", "The policy lets the checkout's frame load.")
      : mistake("policy_frame", "The policy forbids the checkout's frame.", `Add ${host} to frame-src.`),
    ...(policies.every(isUnsafe)
      ? [
          warning(
            "policy_unsafe",
            "The policy allows scripts that anybody may have put into the page.",
            "Take 'unsafe-inline' and 'unsafe-eval' out of script-src: the kit needs neither.",
          ),
        ]
      : []),
  ];
}

function judgeKit(page: SeenPage, host: string): Finding[] {
  const texts = [page.html, ...page.scripts.map(({ text }) => text)];
  if (page.scripts.some(({ text }) => text.includes("customElements.define") && text.includes("aapd-checkout")))
    return [
      mistake(
        "kit_copied",
        "The page has a copy of the kit, which gets no corrections.",
        `Load ${host}/embed/v1.js, or use the package @aapd/embed.`,
      ),
    ];
  const kit = kitTags(page.html, host);
  const isImported = texts.some((text) => text.includes(`${host}/embed/`) || text.includes("/embed/v1.js"));
  // The package names the file by its version, and the host by the address of the checkout.
  const isPackage = texts.some((text) => /\/embed\/\$\{\w+\}\.classic\.js|Aapd|aapd-embed/.test(text));
  const frame = /<iframe\b[^>]*>/gi;
  const frames = [...page.html.matchAll(frame)].map(([tag]) => tag).filter((tag) => tag.includes(host));
  const isBare = frames.some((tag) => /\bsandbox(?:[\s>=/])/i.test(tag) && !/allow-same-origin/i.test(tag));
  if (isBare)
    return [
      mistake(
        "frame_sandbox",
        "The frame's sandbox takes its origin away: its buttons do nothing.",
        "Remove the attribute sandbox from the iframe.",
      ),
    ];
  if (frames.some((tag) => /\bheight=["']?\d/i.test(tag)))
    return [
      mistake(
        "frame_height",
        "The frame has a fixed height, so that patients scroll inside it or do not see the button.",
        "Let the kit make the frame (mountCheckout), or follow its resize messages.",
      ),
    ];
  if (kit.length === 0 && !isImported && !isPackage && frames.length === 0)
    return [
      mistake(
        "kit_missing",
        "Nothing on the page loads the checkout.",
        `<script type="module" src="${host}/embed/v1.js"></script>, or the package @aapd/embed`,
      ),
    ];
  const judged = kit.flatMap((tag) => judgeTag(tag, page.kit, host));
  return judged.length > 0 ? judged : [fine("kit", "The page loads the kit.")];
}

interface KitTag {
  readonly file: string;
  readonly integrity: string | null;
}

/** The script elements that load the kit. */
function kitTags(html: string, host: string): KitTag[] {
  return [...html.matchAll(/<script\b[^>]*>/gi)].flatMap(([tag]) => {
    const src = /\bsrc=["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? "";
    if (!src.startsWith(`${host}/embed/`)) return [];
    const integrity = /\bintegrity=["']?([^"'\s>]+)/i.exec(tag)?.[1] ?? null;
    return [{ file: src.slice(`${host}/embed/`.length), integrity }];
  });
}

function judgeTag({ file, integrity }: KitTag, kit: SeenPage["kit"], host: string): Finding[] {
  const released = kit[file];
  const isEvergreen = file.startsWith("v1.");
  if (released === undefined) {
    const change = `Load ${host}/embed/v1.js, or a version of ${host}/embed/manifest.json.`;
    return [mistake("kit_version", `There is no kit ${file}.`, change)];
  }
  if (isEvergreen)
    return integrity === null
      ? [fine("kit", "The page loads the current kit.")]
      : [
          mistake(
            "kit_hash_of_current",
            `${file} is kept current: its hash will not be the same tomorrow.`,
            "Take the attribute integrity away, or load a numbered version.",
          ),
        ];
  if (integrity === null) {
    const change = `integrity="${released}" crossorigin`;
    return [warning("kit_without_hash", `${file} is loaded without its hash.`, change)];
  }
  return integrity === released
    ? [fine("kit", `The page loads ${file} by its hash.`)]
    : [mistake("kit_hash", `The hash of ${file} is another one: browsers refuse it.`, `integrity="${released}"`)];
}

function judgeSecrets(page: SeenPage, { credentials }: Pick<SandboxKeys, "credentials">): Finding[] {
  // Every text contains the empty text, which stands for an unset variable, so it is excluded.
  const secrets = [credentials.client_secret, credentials.secret_key, credentials.webhook_secret].filter(Boolean);
  const places = [{ url: page.url, text: page.html }, ...page.scripts];
  const leak = places.find(({ text }) => SECRET.test(text) || secrets.some((secret) => text.includes(secret)));
  const minting = page.scripts.find(({ text }) => MINT.test(text));
  return [
    leak === undefined
      ? fine("secrets", "No secret is in the page or its scripts.")
      : mistake(
          "secret_in_page",
          `${leak.url} holds a secret: whoever visits the page has it.`,
          "Rotate that credential now, and keep it in your back end alone.",
        ),
    minting === undefined
      ? fine("mint", "The page does not mint tokens itself.")
      : mistake(
          "mint_in_page",
          `${minting.url} mints widget tokens in the browser.`,
          "Mint in your back end (mintWidgetToken), and give the page the url alone.",
        ),
  ];
}

/** Reads a page, its scripts from the same origin, and the kit's manifest. */
export async function seePage(
  url: string,
  widgetHost: string,
  isOriginRegistered: (origin: string) => Promise<boolean | null>,
): Promise<SeenPage> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  const html = await answer.text();
  const manifest = (await (await fetch(new URL("/embed/manifest.json", widgetHost))).json()) as {
    files: Record<string, { integrity: string }>;
  };
  return {
    url,
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    html,
    scripts: await readScripts(url, html),
    kit: Object.fromEntries(Object.entries(manifest.files).map(([name, { integrity }]) => [name, integrity])),
    isOriginRegistered: await isOriginRegistered(new URL(url).origin),
  };
}

async function readScripts(url: string, html: string): Promise<SeenPage["scripts"]> {
  const { origin } = new URL(url);
  const found = new Map<string, string>();
  const inline = [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/gi)].map(([, text = ""]) => text).join("\n");
  found.set(`${url} (inline)`, inline);
  const next = [...html.matchAll(/<script\b[^>]*\bsrc=["']?([^"'\s>]+)/gi)].map(([, src = ""]) => new URL(src, url));
  for (let at = next.shift(); at !== undefined && found.size < SCRIPTS_MAX; at = next.shift()) {
    if (at.origin !== origin || found.has(at.href)) continue;
    const text = await fetch(at).then((answer) => (answer.ok ? answer.text() : ""));
    found.set(at.href, text);
    // Modules imported by relative path.
    const imports = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']((?:\.{0,2}\/)[^"']+)["']/g);
    for (const [, source = ""] of imports) next.push(new URL(source, at));
  }
  return [...found].map(([address, text]) => ({ url: address, text }));
}
