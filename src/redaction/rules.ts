import { charSet } from "./char-set.ts";
import {
  assignedPattern,
  type Pattern,
  privateKeyPattern,
  tokenPattern,
  type TokenShape,
  urlPasswordPattern,
} from "./pattern.ts";

/** A rule and what it is held to: a test takes every example through it. */
export interface RedactionRule {
  pattern: Pattern;
  match: readonly string[];
  notMatch: readonly string[];
}

const ALNUM = charSet("A-Za-z0-9");
const UPPER = charSet("A-Z0-9");
const HEX = charSet("a-f0-9");
const TOKEN = charSet("A-Za-z0-9_-");
const DOTTED = charSet("A-Za-z0-9_.-");
const BASE64 = charSet("A-Za-z0-9+/=");
const PATH = charSet("A-Za-z0-9_/-");
const CREDENTIAL = charSet("A-Za-z0-9._~+/=-");

/** Example bodies. Never written out behind their prefix, so that no scanner takes this file for a leak. */
const A = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5m";
const H = "0123456789abcdef".repeat(4);
const U = "ABCDEFGH12345678";

const token = (shape: TokenShape, notMatch: readonly string[] = []): RedactionRule => ({
  pattern: tokenPattern(shape),
  match: shape.starts.map((start) => start + exampleOf(shape)),
  notMatch: [...shape.starts.map((start) => start + exampleOf(shape).slice(0, shape.min - 1)), ...notMatch],
});

function exampleOf({ body, min, max }: TokenShape): string {
  const pool = [A, H, U].find((text) => [...text].every((char) => body[char.charCodeAt(0)] === 1)) ?? A;
  return pool.repeat(8).slice(0, max ?? min + 4);
}

/**
 * Secrets by their form, most telling first. What stands here is enough to recognise the kind and long enough to be no
 * word of anybody's prose.
 */
export const REDACTION_RULES: readonly RedactionRule[] = [
  token({ rule: "anthropic-key", starts: ["sk-ant-"], body: TOKEN, min: 16 }, ["the prefix sk-ant- alone"]),
  token({ rule: "openai-key", starts: ["sk-proj-", "sk-svcacct-", "sk-admin-"], body: TOKEN, min: 20 }),
  token({ rule: "openrouter-key", starts: ["sk-or-v1-"], body: ALNUM, min: 32 }),
  token({ rule: "openai-key", starts: ["sk-"], body: ALNUM, min: 32 }, [
    "task-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z",
    "sk-learn-contrib-something-that-is-long",
  ]),
  token({ rule: "github-token", starts: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], body: ALNUM, min: 30 }),
  token({ rule: "github-token", starts: ["github_pat_"], body: TOKEN, min: 22 }, ["github_pat_ is a prefix"]),
  token({
    rule: "gitlab-token",
    starts: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "gloas-", "glsoat-"],
    body: DOTTED,
    min: 16,
  }),
  token({
    rule: "slack-token",
    starts: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xoxc-", "xoxd-", "xapp-"],
    body: DOTTED,
    min: 12,
  }),
  token({ rule: "slack-webhook", starts: ["hooks.slack.com/services/"], body: PATH, min: 24 }),
  token({ rule: "discord-webhook", starts: ["discord.com/api/webhooks/"], body: PATH, min: 60 }),
  token({ rule: "aws-access-key", starts: ["AKIA", "ASIA", "ABIA", "ACCA"], body: UPPER, min: 16, max: 16 }, [
    "AKIAABCDEFGH123456789",
    "XAKIAABCDEFGH12345678",
  ]),
  {
    pattern: assignedPattern({
      rule: "aws-secret-key",
      starts: [
        "AWS_SECRET_ACCESS_KEY",
        "aws_secret_access_key",
        "SecretAccessKey",
        "secretAccessKey",
        "awsSecretAccessKey",
      ],
      body: BASE64,
      length: 40,
    }),
    match: ["aws_secret_access_key = ", 'SecretAccessKey": "', "AWS_SECRET_ACCESS_KEY="].map(
      (name) => name + A.slice(0, 40),
    ),
    notMatch: [
      `aws_secret_access_key = ${A.slice(0, 39)}`,
      "AWS_SECRET_ACCESS_KEY is read from the environment",
    ],
  },
  token({ rule: "google-key", starts: ["AIza"], body: TOKEN, min: 35 }),
  token({ rule: "google-oauth", starts: ["GOCSPX-", "ya29."], body: TOKEN, min: 20 }),
  token({
    rule: "stripe-key",
    starts: ["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
    body: BASE64,
    min: 16,
  }),
  token({ rule: "square-token", starts: ["sq0atp-", "sq0csp-"], body: TOKEN, min: 22 }),
  token({ rule: "npm-token", starts: ["npm_"], body: ALNUM, min: 36 }, [
    "npm_config_registry_and_then_some_more_text",
  ]),
  token({ rule: "pypi-token", starts: ["pypi-AgE"], body: TOKEN, min: 40 }),
  token({ rule: "rubygems-key", starts: ["rubygems_"], body: HEX, min: 48 }),
  token({ rule: "docker-token", starts: ["dckr_pat_", "dckr_oat_"], body: TOKEN, min: 20 }),
  token({ rule: "huggingface-token", starts: ["hf_", "api_org_"], body: ALNUM, min: 34 }),
  token({ rule: "replicate-token", starts: ["r8_"], body: ALNUM, min: 37 }),
  token({ rule: "groq-key", starts: ["gsk_"], body: ALNUM, min: 40 }),
  token({ rule: "xai-key", starts: ["xai-"], body: ALNUM, min: 60 }),
  token({ rule: "perplexity-key", starts: ["pplx-"], body: ALNUM, min: 40 }),
  token({ rule: "sendgrid-key", starts: ["SG."], body: DOTTED, min: 50 }),
  token({ rule: "mailgun-key", starts: ["key-"], body: HEX, min: 32, max: 32 }),
  token({ rule: "shopify-token", starts: ["shpat_", "shpca_", "shppa_", "shpss_"], body: ALNUM, min: 32 }),
  token({ rule: "digitalocean-token", starts: ["dop_v1_", "doo_v1_", "dor_v1_"], body: HEX, min: 64 }),
  token({ rule: "databricks-token", starts: ["dapi"], body: HEX, min: 32 }),
  token({ rule: "vault-token", starts: ["hvs.", "hvb.", "hvr."], body: TOKEN, min: 24 }),
  token({ rule: "doppler-token", starts: ["dp.pt.", "dp.st.", "dp.sa.", "dp.ct."], body: DOTTED, min: 40 }),
  token({ rule: "pulumi-token", starts: ["pul-"], body: HEX, min: 40 }),
  token({
    rule: "planetscale-token",
    starts: ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    body: TOKEN,
    min: 32,
  }),
  token({ rule: "supabase-token", starts: ["sbp_"], body: HEX, min: 40 }),
  token({ rule: "linear-key", starts: ["lin_api_"], body: ALNUM, min: 32 }),
  token({ rule: "notion-token", starts: ["ntn_", "secret_"], body: ALNUM, min: 43 }),
  token({ rule: "postman-key", starts: ["PMAK-"], body: TOKEN, min: 50 }),
  token({ rule: "grafana-token", starts: ["glsa_", "glc_"], body: TOKEN, min: 32 }),
  token({ rule: "sentry-token", starts: ["sntrys_", "sntryu_"], body: CREDENTIAL, min: 40 }),
  token({ rule: "newrelic-key", starts: ["NRAK-"], body: UPPER, min: 27 }),
  token({ rule: "atlassian-token", starts: ["ATATT3"], body: CREDENTIAL, min: 50 }),
  token({ rule: "figma-token", starts: ["figd_"], body: TOKEN, min: 32 }),
  token({ rule: "age-key", starts: ["AGE-SECRET-KEY-1"], body: UPPER, min: 50 }),
  token({ rule: "azure-key", starts: ["AccountKey="], body: BASE64, min: 40, keepStart: true }),
  token({ rule: "azure-key", starts: ["SharedAccessKey="], body: BASE64, min: 40, keepStart: true }),
  token({ rule: "jwt", starts: ["eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi"], body: DOTTED, min: 40 }),
  token({ rule: "bearer-token", starts: ["Bearer "], body: CREDENTIAL, min: 24, keepStart: true }, [
    "Bearer authentication is described below",
  ]),
  token({ rule: "bearer-token", starts: ["bearer "], body: CREDENTIAL, min: 24, keepStart: true }),
  token({ rule: "basic-auth", starts: ["Authorization: Basic "], body: BASE64, min: 8, keepStart: true }),
  token({ rule: "basic-auth", starts: ["authorization: Basic "], body: BASE64, min: 8, keepStart: true }),
  {
    pattern: urlPasswordPattern("url-password"),
    match: ["postgres://app:hunter22@db:5432/app", "redis://:s3cret!@cache/0", "https://me:a:b@host"],
    notMatch: [
      "https://example.com:8443/path@v2",
      "https://user@example.com",
      "postgres://app:${DB_PASSWORD}@db/app",
      "see http://localhost:3000 or mail me@example.com",
    ],
  },
  {
    pattern: privateKeyPattern("private-key"),
    match: ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"].map(
      (kind) => `-----BEGIN ${kind}-----\n${A}\n${A}\n-----END ${kind}-----`,
    ),
    notMatch: [
      'if (text.includes("-----BEGIN PRIVATE KEY-----")) return refuse(text);',
      "A file that begins with -----BEGIN RSA PRIVATE KEY----- is a key, and so is one with another kind.",
      `-----BEGIN CERTIFICATE-----\n${A}\n-----END CERTIFICATE-----`,
    ],
  },
];
