import assert from "node:assert/strict";

export async function grade({ refundPart }, { env, client, paidOrder }) {
  const { hash } = await paidOrder();
  for (const refundReference of ["r1", "r1", "r2"]) await refundPart(env, { hash, amount: 2_000, refundReference });
  const { refunds } = await client.listRefunds(hash);
  assert.deepEqual(
    refunds.map(({ amount }) => amount),
    [2_000, 2_000],
  );
}
