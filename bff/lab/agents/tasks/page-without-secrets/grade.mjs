import assert from "node:assert/strict";

export async function grade({ createApp }, { env, serve, sale }) {
  const url = await serve(createApp(env, sale()));
  const page = await fetch(url);
  const html = await page.text();
  const directives = Object.fromEntries(
    (page.headers.get("content-security-policy") ?? "").split(";").map((one) => {
      const [name = "", ...sources] = one.trim().split(/\s+/);
      return [name, sources];
    }),
  );
  for (const name of ["script-src", "frame-src"])
    assert.ok(directives[name]?.includes(env.WIDGET_HOST), `${name} lacks ${env.WIDGET_HOST}`);
  assert.ok(!directives["script-src"].includes("'unsafe-inline'"), "inline scripts are permitted");
  const checkout = await fetch(`${url}/checkout`, { method: "POST" }).then((answer) => answer.text());
  for (const name of ["CLIENT_SECRET", "SECRET_KEY", "WEBHOOK_SECRET"])
    assert.ok(!`${html}${checkout}`.includes(env[name]), `the browser gets ${name}`);
  assert.equal((await fetch(JSON.parse(checkout).url)).status, 200, "the checkout does not open");
}
