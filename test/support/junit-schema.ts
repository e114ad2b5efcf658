/** Elements of a JUnit document: which must and may stand in which, with which attributes. After junit-10.xsd. */
const ELEMENTS: Record<string, { in: readonly string[]; needs: readonly string[]; may: readonly string[] }> =
  {
    testsuites: { in: [""], needs: [], may: ["name", "tests", "failures", "errors", "time", "disabled"] },
    testsuite: {
      in: ["testsuites"],
      needs: ["name", "tests"],
      may: ["failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package", "file"],
    },
    testcase: { in: ["testsuite"], needs: ["name", "classname"], may: ["time", "status", "file", "line"] },
    failure: { in: ["testcase"], needs: [], may: ["type", "message"] },
    error: { in: ["testcase"], needs: [], may: ["type", "message"] },
    skipped: { in: ["testcase"], needs: [], may: ["message", "type"] },
    "system-out": { in: ["testcase", "testsuite"], needs: [], may: [] },
  };

// oxlint-disable-next-line no-control-regex
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const TOKEN = /<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const PLAIN = /^(?:[^&<]|&(?:amp|lt|gt|quot|apos|#\d+);)*$/;

/** What is wrong with a JUnit document: not well-formed, wrong elements or attributes, counts that do not add up. */
export function junitProblems(xml: string): string[] {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(head)) return ["no XML declaration"];
  const character = NOT_XML.exec(xml);
  if (character) return [`a character that XML does not have at ${character.index}`];
  const problems: string[] = [];
  const open: string[] = [];
  const seen: Record<string, number> = {};
  TOKEN.lastIndex = head.length;
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(xml);
    if (!token) return [...problems, `no XML at ${at}: ${JSON.stringify(xml.slice(at, at + 40))}`];
    const [, closing, name = "", attributes = "", empty, text] = token;
    if (text !== undefined) {
      if (!PLAIN.test(text)) problems.push(`text that is not escaped: ${JSON.stringify(text.slice(0, 40))}`);
    } else if (closing) {
      if (open.pop() !== name) problems.push(`</${name}> closes what is not open`);
    } else {
      problems.push(...elementProblems(name, attributes, open.at(-1) ?? ""));
      seen[name] = (seen[name] ?? 0) + 1;
      if (!empty) open.push(name);
    }
  }
  if (open.length > 0) problems.push(`not closed: ${open.join(" ")}`);
  return [...problems, ...countProblems(xml, seen)];
}

function elementProblems(name: string, attributes: string, parent: string): string[] {
  const rule = ELEMENTS[name];
  if (!rule) return [`unknown element ${name}`];
  const found = [...attributes.matchAll(/([a-z]+)="([^"]*)"/g)];
  const keys = found.map(([, key = ""]) => key);
  return [
    ...(rule.in.includes(parent) ? [] : [`${name} in ${parent || "the document"}`]),
    ...rule.needs.filter((key) => !keys.includes(key)).map((key) => `${name} without ${key}`),
    ...keys.filter((key) => ![...rule.needs, ...rule.may].includes(key)).map((key) => `${name} has ${key}`),
    ...(new Set(keys).size === keys.length ? [] : [`${name} has an attribute twice`]),
    ...found.filter(([, , value = ""]) => !PLAIN.test(value)).map(([, key]) => `${key} is not escaped`),
  ];
}

function countProblems(xml: string, seen: Record<string, number>): string[] {
  const said = (key: string): number => Number(new RegExp(`<testsuites[^>]* ${key}="(\\d+)"`).exec(xml)?.[1]);
  const wrong = { tests: "testcase", failures: "failure", errors: "error" };
  return Object.entries(wrong).flatMap(([key, element]) =>
    said(key) === (seen[element] ?? 0) ? [] : [`${key} is ${said(key)}, there are ${seen[element] ?? 0}`],
  );
}
