import type { Page } from "@playwright/test";
import { type HostReports, hostPage, hostReports, mount } from "../support/host-page.ts";
import { long, short } from "../support/levels.ts";
import { envelope, findPuppet, PUPPET, type Puppet } from "../support/puppet-frame.ts";
import { productUrls } from "../support/tenant.ts";
import { test as base, expect } from "../support/test.ts";
import { openTestOrigin, type TestOrigin } from "../support/test-pages.ts";

/*
 * Messages that a page must never accept. The host is a partner's page with the real kit, and a puppet in its frame
 * implements the protocol by hand. Each test attacks, and then sends the same message correctly. Only the correct one
 * is received, which proves that the attack was refused and not just slow.
 */

interface Stage {
  /** The partner's page. */
  readonly clinic: TestOrigin;
  /** The address of the checkout that the partner's back end returns. */
  readonly widget: TestOrigin;
  /** An attacker's page. */
  readonly stranger: TestOrigin;
  /** Opens the partner's page with a puppet in its frame that has announced itself and shown its first screen. */
  readonly open: () => Promise<Puppet>;
}

const READY = (session: string | undefined, id: number) => envelope({ session, id, type: "ready" });

/** The kit's messages for developers, which it loads on a page without TLS. */
const NO_DIAGNOSIS = {
  html: "export const diagnose = () => undefined;",
  headers: { "content-type": "text/javascript", "access-control-allow-origin": "*" },
};

const test = base.extend<{ stage: Stage }>({
  stage: async ({ page }, use) => {
    const [clinic, widget, stranger] = await Promise.all([openTestOrigin(), openTestOrigin(), openTestOrigin()]);
    const kitUrl = `${productUrls().widgetHostUrl}/embed/v1.js`;
    const hostUrl = clinic.put("/", hostPage(kitUrl));
    const frameUrl = widget.put("/checkout", PUPPET);
    widget.put("/embed/diagnose.js", NO_DIAGNOSIS);
    stranger.put("/frame", PUPPET);
    const open = async (): Promise<Puppet> => {
      await page.goto(hostUrl);
      await mount(page, { url: frameUrl });
      const puppet = await findPuppet(page, frameUrl);
      await announce(puppet, "document-1");
      await expect.poll(async () => (await hostReports(page)).received).toContain("announce");
      return puppet;
    };
    await use({ clinic, widget, stranger, open });
    await Promise.all([clinic.close(), widget.close(), stranger.close()]);
  },
});

/**
 * The document announces itself, like the checkout. The kit sends `hello` on the frame's `load` and in reply to an
 * announcement. The last one counts, so both are awaited. An early announcement makes the other unnecessary.
 */
async function announce(puppet: Puppet, session: string): Promise<void> {
  const greetings = async () => (await puppet.heard()).filter(({ ports }) => ports === 1).length;
  await expect.poll(greetings).toBe(1);
  await puppet.say(envelope({ session, id: 1, type: "announce" }));
  await expect.poll(greetings).toBe(2);
}

/** Reports correctly that the first screen is visible, and waits until the page has received it. */
async function sayReady(page: Page, puppet: Puppet, id = 1_000): Promise<HostReports> {
  await puppet.sayByPort(READY(await puppet.session(), id));
  await expect.poll(async () => (await hostReports(page)).callbacks.map(({ name }) => name)).toContain("onReady");
  return hostReports(page);
}

/** The message of an older frame, which has no signed receipt. It is then reported as null. */
const COMPLETED = { kind: "payment", order_token: "5b3c3f1e-6b1f-4a52-9d0f-0a4b7a2f7c11", status: "paid" };

test.describe("the partner's page", () => {
  test("receives from the frame that it has mounted", short("partner"), async ({ page, stage }) => {
    const puppet = await stage.open();
    const session = await puppet.session();
    await sayReady(page, puppet, 2);
    await puppet.sayByPort(envelope({ session, id: 3, type: "completed", payload: COMPLETED }));
    await expect
      .poll(async () => (await hostReports(page)).callbacks)
      .toEqual([
        { name: "onReady", given: null },
        { name: "onComplete", given: { ...COMPLETED, signed_receipt: null } },
      ]);
    expect((await hostReports(page)).refused).toEqual([]);
  });

  test(
    "ignores a document of another origin that has replaced the frame's",
    short("partner"),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      await puppet.frame.goto(`${stage.stranger.origin}/frame`);
      const stranger = await findPuppet(page, `${stage.stranger.origin}/frame`);
      for (const type of ["announce", "completed", "ready"]) {
        await stranger.say(envelope({ session: "document-2", id: 1, type, payload: COMPLETED }));
      }
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(["origin", "origin", "origin"]);
      expect(await stranger.heard(), "the kit greets the origin that it was given, and no other").toEqual([]);
      expect((await hostReports(page)).callbacks).toEqual([]);

      await stranger.frame.goto(`${stage.widget.origin}/checkout`);
      const returned = await findPuppet(page, `${stage.widget.origin}/checkout`);
      await announce(returned, "document-3");
      await sayReady(page, returned);
    },
  );

  test(
    "ignores other frames, even of the right origin",
    long("widget/embed/handshake.test.ts", "source before shape: messages of other windows are not parsed"),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      stage.widget.put("/sibling", PUPPET);
      const siblings = [`${stage.widget.origin}/sibling`, `${stage.stranger.origin}/frame`];
      for (const url of siblings) {
        await page.evaluate((src) => {
          document.body.append(Object.assign(document.createElement("iframe"), { src }));
        }, url);
        const sibling = await findPuppet(page, url);
        for (const type of ["announce", "ready"]) await sibling.say(envelope({ session: "sibling", id: 1, type }));
        await expect.poll(() => sibling.heard()).toEqual([]);
      }
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(Array(4).fill("source"));
      const { callbacks } = await sayReady(page, puppet);
      expect(callbacks).toHaveLength(1);
    },
  );

  test(
    "ignores its own messages, those of extensions, and any others",
    long("widget/embed/handshake.test.ts", "shape: messages of the frame's window outside of the protocol"),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      const noise = await page.evaluate(
        (announcement) => {
          const things: unknown[] = [
            { source: "react-devtools-bridge", payload: { event: "shutdown" } },
            { type: "webpackOk", data: undefined },
            '{"jsonrpc":"2.0"}',
            "WIDGET_PAYMENT_SUCCESS",
            0,
            null,
            undefined,
            new ArrayBuffer(8),
            [announcement],
            new Map([["channel", "aapd"]]),
            announcement,
          ];
          for (const thing of things) window.postMessage(thing, "*");
          return things.length;
        },
        envelope({ type: "announce" }),
      );
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(Array(noise).fill("source"));

      const fromFrame = [
        "text",
        7,
        null,
        [],
        { channel: "aapd" },
        { channel: "other", version: 1 },
        "WIDGET_FORM_READY",
      ];
      for (const thing of fromFrame) await puppet.say(thing);
      await expect.poll(async () => (await hostReports(page)).refused.filter((why) => why === "shape").length).toBe(7);
      expect((await sayReady(page, puppet)).callbacks).toHaveLength(1);
    },
  );

  test(
    "handles nothing twice: neither an announcement nor a message on the port",
    long(
      "widget/embed/handshake.test.ts",
      "replay: an announcement that was already received",
      "by port: a wrong session, replay, version or shape is refused, and the right message is accepted",
    ),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      await puppet.say(envelope({ session: "document-1", id: 1, type: "announce" }));
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(["replay"]);
      expect((await hostReports(page)).sent, "no new greeting for an old announcement").toHaveLength(2);

      const session = await puppet.session();
      const step = { name: "card", index: 4, count: 5 };
      await puppet.sayByPort(envelope({ session, id: 5, type: "step", payload: step }));
      await puppet.sayByPort(envelope({ session, id: 5, type: "step", payload: step }));
      await puppet.sayByPort(envelope({ session, id: 4, type: "step", payload: step }));
      await puppet.sayByPort(envelope({ session: "another", id: 6, type: "step", payload: step }));
      await expect
        .poll(async () => (await hostReports(page)).refused)
        .toEqual(["replay", "replay", "replay", "session"]);
      await puppet.sayByPort(envelope({ session, id: 6, type: "step", payload: { ...step, index: 5 } }));
      await expect
        .poll(async () => (await hostReports(page)).callbacks.map(({ given }) => given))
        .toEqual([step, { ...step, index: 5 }]);
    },
  );

  test(
    "ignores messages that bypass the port",
    long("widget/embed/handshake.test.ts", "a completion sent to the window, outside of any session"),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      const session = await puppet.session();
      const completed = envelope({ session, id: 50, type: "completed", payload: COMPLETED });
      await puppet.say(completed);
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(["session"]);
      expect((await hostReports(page)).callbacks).toEqual([]);
      await puppet.sayByPort(completed);
      await expect
        .poll(async () => (await hostReports(page)).callbacks)
        .toEqual([{ name: "onComplete", given: { ...COMPLETED, signed_receipt: null } }]);
    },
  );

  test(
    "refuses a frame of another version, and reports that to the page",
    long(
      "widget/embed/handshake.test.ts",
      "reports another protocol version to the page only from the frame's own origin",
    ),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      const session = await puppet.session();
      for (const version of [0, 2, "1", null]) {
        await puppet.sayByPort(envelope({ version, session, id: 60, type: "completed", payload: COMPLETED }));
      }
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(Array(4).fill("version"));
      await puppet.say(envelope({ version: 2, session: "document-9", type: "announce" }));
      await expect
        .poll(async () => (await hostReports(page)).callbacks)
        .toEqual([{ name: "onError", given: { type: "load_error", reason: "version" } }]);
      // The same message in this version is accepted.
      await puppet.say(envelope({ session: "document-9", type: "announce" }));
      await expect.poll(async () => (await hostReports(page)).received).toEqual(["announce", "announce"]);
    },
  );

  test(
    "resists polluted prototypes, and messages that try to pollute them",
    long("widget/embed/protocol.test.ts", "a type of the object's prototype", "a type called __proto__"),
    async ({ page, stage }) => {
      const puppet = await stage.open();
      const session = await puppet.session();
      // A script of the page has polluted every object, but missing fields must still be missing.
      await page.evaluate((completed) => {
        Object.assign(Object.prototype, { ...completed, height: 9_000, index: 1, count: 5, name: "card", version: 1 });
      }, COMPLETED);
      const sendRaw = (json: string) =>
        puppet.frame.evaluate((text) => Reflect.get(window, "sayByPort")(JSON.parse(text)), json);
      const head = `"channel":"aapd","session":${JSON.stringify(session)}`;
      for (const json of [
        `{${head},"version":1,"id":10,"type":"completed","payload":{}}`,
        `{${head},"version":1,"id":11,"type":"resize","payload":{}}`,
        `{${head},"version":1,"id":12,"type":"step","payload":{"__proto__":{"name":"card","index":1,"count":5}}}`,
        `{${head},"version":1,"id":13,"type":"constructor","payload":{}}`,
        `{${head},"version":1,"id":14,"type":"__proto__","payload":{}}`,
        `{${head},"version":1,"id":15,"type":"toString","payload":{}}`,
        `{"__proto__":{"channel":"aapd"},"version":1,"id":16,"type":"ready","payload":{}}`,
      ]) {
        await sendRaw(json);
      }
      await expect.poll(async () => (await hostReports(page)).refused).toEqual(Array(7).fill("shape"));
      await sendRaw(`{${head},"id":17,"type":"ready","payload":{}}`);
      await expect.poll(async () => (await hostReports(page)).refused.at(-1)).toBe("version");

      const step = { name: "card", index: 2, count: 5 };
      await sendRaw(
        `{${head},"version":1,"id":20,"type":"step","payload":{"name":"card","index":2,"count":5,"__proto__":{"evil":1},"constructor":{"prototype":{"evil":1}}}}`,
      );
      await expect.poll(async () => (await hostReports(page)).callbacks.length).toBe(1);
      const [callback] = (await hostReports(page)).callbacks;
      expect(callback).toMatchObject({ name: "onStep", given: step });
      expect(await page.evaluate(() => "evil" in {})).toBe(false);
    },
  );
});
