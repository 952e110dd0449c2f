/** An answer's body, read as JSON. Untyped: what is in it is for the test to expect. */
export async function readJson(answer: Response): Promise<ReturnType<typeof JSON.parse>> {
  const body = await answer.text();
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(`${answer.status} and no JSON: ${body}`);
  }
}
