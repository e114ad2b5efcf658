import { describe, expect, it } from "vitest";
import { LlmTokenEvent, ToolCallStartedEvent } from "../../src/events/run-event.ts";
import { redactEvent } from "../../src/redaction/redact-event.ts";
import { Redactor } from "../../src/redaction/redactor.ts";
import { secretsOf } from "../../src/redaction/secrets-of.ts";

const secrets = [{ name: "API_SECRET", value: 'p"ss wörd/1' }];

describe("a known value", () => {
  it("is found as it stands, in JSON, in a URL and in base64", () => {
    const redactor = new Redactor({ secrets });
    const value = secrets[0]?.value ?? "";
    for (const shown of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      Buffer.from(value).toString("base64").replace(/=+$/, ""),
    ]) {
      expect(redactor.text(`a ${shown} b`)).toMatch(/^a \[redacted:API_SECRET\]\S? b$/);
    }
  });

  it("is found in keys and values of plain JSON; what holds none is the same object", () => {
    const redactor = new Redactor({ secrets: [{ name: "S", value: "swordfish" }] });
    const clean = { a: [1, "x", { b: null }] };
    expect(redactor.value(clean)).toBe(clean);
    expect(redactor.value({ swordfish: ["a swordfish", 1], same: clean })).toEqual({
      "[redacted:S]": ["a [redacted:S]", 1],
      same: clean,
    });
  });

  it("of fewer than eight characters is left alone", () => {
    expect(new Redactor({ secrets: [{ name: "S", value: "secret1" }] }).text("a secret1")).toBe("a secret1");
  });

  it("does not break the base64 of an image", () => {
    const redactor = new Redactor({ secrets: [{ name: "S", value: "swordfish" }] });
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "swordfish" } };
    expect(redactor.value(image)).toBe(image);
    const posing = { ...image.source, note: "swordfish" };
    expect(redactor.value(posing)).toEqual({ ...posing, data: "[redacted:S]", note: "[redacted:S]" });
  });

  it("is taken out of an event, which stays of its class", () => {
    const redactor = new Redactor({ secrets: [{ name: "S", value: "swordfish" }] });
    const event = new ToolCallStartedEvent({ step: 1, call_id: "c", name: "n", input: { q: "swordfish" } });
    const clean = redactEvent(redactor, event);
    expect(clean).toBeInstanceOf(ToolCallStartedEvent);
    expect({ ...clean }).toEqual({ ...event, input: { q: "[redacted:S]" } });
    const token = new LlmTokenEvent({ step: 1, text: "plain" });
    expect(redactEvent(redactor, token)).toBe(token);
  });
});

describe("secretsOf", () => {
  it("takes the variables whose names say so, when the value is long enough", () => {
    const env = {
      ANTHROPIC_API_KEY: " sk-something ",
      GITHUB_TOKEN: "0123456789",
      DB_PASSWORD: "short",
      PGPASS: "12345678",
      MY_PASS: "12345678",
      DATABASE_URL: "postgres://u:p@h/db",
      SSH_KEY_PATH: "/home/me/.ssh/id",
      SSH_AUTH_SOCK: "/tmp/ssh-agent",
      PATH: "/usr/bin:/bin:/usr/local/bin",
      PWD: "/home/me/project",
    };
    expect(secretsOf(env)).toEqual([
      { name: "ANTHROPIC_API_KEY", value: "sk-something" },
      { name: "GITHUB_TOKEN", value: "0123456789" },
      { name: "MY_PASS", value: "12345678" },
      { name: "DATABASE_URL", value: "postgres://u:p@h/db" },
    ]);
  });
});

describe("a canary", () => {
  it("is told of once, by its number, and never shown", () => {
    const told: number[] = [];
    const redactor = new Redactor({
      canaries: ["canary-aaaa", "canary-bbbb"],
      onCanary: (n) => told.push(n),
    });
    expect(redactor.text("x canary-bbbb y canary-aaaa")).toBe("x [redacted:canary-2] y [redacted:canary-1]");
    expect(told).toEqual([2]);
  });

  it("that is too short is refused without being named", () => {
    expect(() => new Redactor({ canaries: ["abc"] })).toThrow(
      expect.objectContaining({ code: "settings_invalid", message: "canary 1 has fewer than 8 characters" }),
    );
  });
});
