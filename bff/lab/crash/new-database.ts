import { randomUUID } from "node:crypto";
import pg from "pg";

/** Creates a database on a throw-away server: the one of this process, unless another is given. */
export async function newCrashDatabase(
  serverUrl = process.env.TEST_DATABASE_URL,
): Promise<{ url: string; serverUrl: string }> {
  if (serverUrl === undefined) throw new Error("TEST_DATABASE_URL must name a PostgreSQL server.");
  const name = `aapd_crash_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  // A throw-away server acknowledges a commit before writing it to the log. This server is killed without notice, so it
  // must not.
  await client.query(`alter database ${name} set synchronous_commit = on`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, serverUrl };
}
