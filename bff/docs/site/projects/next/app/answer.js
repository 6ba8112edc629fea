import { statusOf } from "../clinic.js";

/** Answers with the JSON that `work` returns, or with the status of its error. */
export async function answer(work) {
  try {
    return Response.json(await work());
  } catch (error) {
    const status = statusOf(error);
    console.error(status === 500 ? error : error.message);
    return new Response(null, { status });
  }
}
