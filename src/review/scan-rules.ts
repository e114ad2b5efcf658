import type { Severity } from "./finding.ts";

/** A call or a setting that is dangerous by its form alone. */
export interface ScanRule {
  id: string;
  /** RE2, searched for in single lines. */
  pattern: string;
  /** A line without any of these holds no match: looked at first, for speed. */
  needles: readonly string[];
  /** Ends of file names. */
  files: readonly string[];
  cwe: string;
  severity: Severity;
  category: string;
  title: string;
  recommendation: string;
  /** Checked when the rules are loaded. */
  match: readonly string[];
  notMatch: readonly string[];
}

const JS = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];
const PY = [".py"];

/** The rules of the scan that needs no model. They find forms, not flows: each is a place to look at. */
export const SCAN_RULES: readonly ScanRule[] = [
  {
    id: "js-eval",
    pattern: String.raw`(?:^|[^\w.$])(?:eval|new\s+Function)\s*\(\s*[^)\s"'\x60]`,
    needles: ["eval", "Function"],
    files: JS,
    cwe: "CWE-95",
    severity: "high",
    category: "code-injection",
    title: "Code is made out of a value and run",
    recommendation: "Parse the value as data (JSON.parse) or choose among known functions.",
    match: ["const r = eval(input);", "new Function(body)()"],
    notMatch: ["retrieval(input)", 'eval("1+1")', "model.eval(x)"],
  },
  {
    id: "js-exec-template",
    pattern: String.raw`\b(?:exec|execSync)\s*\(\s*(?:\x60[^\x60]*\$\{|["'][^"']*["']\s*\+)`,
    needles: ["exec"],
    files: JS,
    cwe: "CWE-78",
    severity: "high",
    category: "command-injection",
    title: "A shell command is put together from values",
    recommendation: "Use execFile or spawn with an array of arguments and no shell.",
    match: ["exec(`git log ${name}`)", 'child.execSync("rm " + path)'],
    notMatch: ['execSync("git status")', "execFile('git', [name])", "pattern.exec(`a`)"],
  },
  {
    id: "js-spawn-shell",
    pattern: String.raw`\b(?:spawn|spawnSync|execFile|execFileSync)\s*\(.*\bshell\s*:\s*true\b`,
    needles: ["shell"],
    files: JS,
    cwe: "CWE-78",
    severity: "medium",
    category: "command-injection",
    title: "A program is started through a shell",
    recommendation: "Leave `shell: true` out and pass the arguments as an array.",
    match: ["spawn(cmd, args, { shell: true })"],
    notMatch: ["spawn(cmd, args, { shell: false })", "spawn(cmd, args)"],
  },
  {
    id: "sql-concat",
    pattern: String.raw`(?i)["'\x60]\s*(?:select|insert\s+into|update|delete\s+from)\s[^"'\x60]*(?:(?:=|like|in|values)\s*\(?\s*'?["'\x60]\s*(?:\+|%|\.)\s*\w|\$\{)`,
    needles: ["select", "insert", "update", "delete", "SELECT", "INSERT", "UPDATE", "DELETE"],
    files: [...JS, ...PY, ".php", ".rb", ".java"],
    cwe: "CWE-89",
    severity: "high",
    category: "sql-injection",
    title: "An SQL statement is put together from values",
    recommendation: "Use a prepared statement and pass the values as parameters.",
    match: [
      "db.query(`SELECT * FROM users WHERE id = ${id}`)",
      `db.query("SELECT * FROM users WHERE name = '" + name + "'")`,
    ],
    notMatch: ['db.query("SELECT * FROM users WHERE id = ?", [id])', "`please select ${thing}`", '"update"'],
  },
  {
    id: "js-inner-html",
    pattern: String.raw`\.(?:innerHTML|outerHTML)\s*\+?=\s*[^=\s"'\x60]|\bdangerouslySetInnerHTML\b|\bdocument\.write(?:ln)?\s*\(\s*[^)\s"'\x60]`,
    needles: ["HTML", "document.write"],
    files: [...JS, ".html", ".vue", ".svelte"],
    cwe: "CWE-79",
    severity: "medium",
    category: "cross-site-scripting",
    title: "A value becomes HTML as it is",
    recommendation: "Use textContent, or a sanitizer that is kept up to date.",
    match: [
      "box.innerHTML = comment;",
      "<div dangerouslySetInnerHTML={{ __html: x }} />",
      "document.write(x)",
    ],
    notMatch: ["box.innerHTML = '';", "box.innerHTML == x", "box.textContent = comment"],
  },
  {
    id: "tls-unchecked",
    pattern: String.raw`\brejectUnauthorized\s*:\s*false\b|\bNODE_TLS_REJECT_UNAUTHORIZED\b\s*[\]"']*\s*=\s*["']?0|\bverify\s*=\s*False\b|\bInsecureSkipVerify\s*:\s*true\b`,
    needles: ["rejectUnauthorized", "NODE_TLS_REJECT_UNAUTHORIZED", "verify", "InsecureSkipVerify"],
    files: [...JS, ...PY, ".go", ".sh", ".yml", ".yaml", ".env"],
    cwe: "CWE-295",
    severity: "high",
    category: "certificate-validation",
    title: "The other side's certificate is not checked",
    recommendation: "Leave the check on; add the certificate authority that is missing (`ca`).",
    match: ["{ rejectUnauthorized: false }", "requests.get(url, verify=False)", "InsecureSkipVerify: true"],
    notMatch: ["{ rejectUnauthorized: true }", "requests.get(url, verify=True)"],
  },
  {
    id: "weak-hash",
    pattern: String.raw`\bcreateHash\s*\(\s*["'](?:md5|sha1)["']|\bhashlib\.(?:md5|sha1)\s*\(`,
    needles: ["createHash", "hashlib"],
    files: [...JS, ...PY],
    cwe: "CWE-328",
    severity: "low",
    category: "weak-cryptography",
    title: "A hash that collisions are known of",
    recommendation: "Use SHA-256; for passwords scrypt or argon2.",
    match: ['createHash("md5")', "hashlib.sha1(data)"],
    notMatch: ['createHash("sha256")', "hashlib.sha256(data)"],
  },
  {
    id: "py-exec",
    pattern: String.raw`(?:^|[^\w.])(?:eval|exec)\s*\(\s*[^)\s"']`,
    needles: ["eval", "exec"],
    files: PY,
    cwe: "CWE-95",
    severity: "high",
    category: "code-injection",
    title: "Code is made out of a value and run",
    recommendation: "Use ast.literal_eval or json.loads, or choose among known functions.",
    match: ["eval(text)", "    exec(code, scope)"],
    notMatch: ["ast.literal_eval(text)", "model.eval()", 'eval("1")', "cursor.exec(q)"],
  },
  {
    id: "py-shell",
    pattern: String.raw`\bsubprocess\.\w+\(.*\bshell\s*=\s*True\b|\bos\.(?:system|popen)\s*\(\s*(?:f["']|[^)"'\s]|["'][^"']*["']\s*[+%])`,
    needles: ["subprocess", "os."],
    files: PY,
    cwe: "CWE-78",
    severity: "high",
    category: "command-injection",
    title: "A command runs through a shell",
    recommendation: "Use subprocess.run with a list of arguments and no shell.",
    match: ["subprocess.run(cmd, shell=True)", 'os.system(f"rm {path}")', 'os.system("rm " + path)'],
    notMatch: ['subprocess.run(["ls"])', 'os.system("clear")'],
  },
  {
    id: "py-unsafe-load",
    pattern: String.raw`\b(?:pickle|cPickle|marshal|dill)\.loads?\s*\(|\byaml\.(?:load|load_all)\s*\(\s*[^,)]*\)|\byaml\.(?:unsafe_load|full_load)\s*\(`,
    needles: ["pickle", "marshal", "dill", "yaml"],
    files: PY,
    cwe: "CWE-502",
    severity: "high",
    category: "unsafe-deserialization",
    title: "Data is loaded in a way that can run code",
    recommendation: "Use json, or yaml.safe_load.",
    match: ["pickle.loads(data)", "yaml.load(text)"],
    notMatch: ["yaml.safe_load(text)", "json.loads(data)", "yaml.load(text, Loader=yaml.SafeLoader)"],
  },
  {
    id: "workflow-injection",
    pattern: String.raw`\brun\s*:.*\$\{\{\s*(?:github\.event\.(?:issue|pull_request|comment|review|discussion)\b[^}]*(?:title|body|ref|label)|github\.head_ref)[^}]*\}\}`,
    needles: ["github."],
    files: [".yml", ".yaml"],
    cwe: "CWE-94",
    severity: "high",
    category: "code-injection",
    title: "Somebody else's text becomes part of a script",
    recommendation: "Pass it through `env:` and quote the variable in the script.",
    match: ["- run: echo ${{ github.event.issue.title }}", "run: git checkout ${{ github.head_ref }}"],
    notMatch: ["- run: echo ${{ github.sha }}", "TITLE: ${{ github.event.issue.title }}"],
  },
];
