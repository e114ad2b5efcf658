/** Sends a body to a double as the SDK would, without the SDK's own opinions. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{
  status: number;
  text: string;
  json: { error: { type: string; message: string } } | undefined;
  headers: Headers;
}> {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: "Bearer sk-test",
      "anthropic-version": "2026-10-21",
      "content-type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return {
    status: response.status,
    text,
    json: isJson ? JSON.parse(text) : undefined,
    headers: response.headers,
  };
}

export const user = (content: unknown) => ({ role: "user", content });
export const assistant = (content: unknown) => ({ role: "assistant", content });
export const textBlock = (text: string) => ({ type: "text", text });
export const use = (id: string, name = "read_file", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
export const result = (id: string, content: unknown = "ok") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
export const request = (more: Record<string, unknown> = {}) => ({
  model: "claude-test",
  max_tokens: 100,
  messages: [user("hi")],
  ...more,
});
