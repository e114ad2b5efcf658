import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES_IN_A_FOLDER = 100;
const FOLDERS_IN_A_PART = 10;
const BODY = "export const value = compute(input, options);\n".repeat(6);

/** A tree of so many files in parts of a thousand: names end in .ts, .md and .json; one in five hundred holds a needle. */
export function plantTree(root, files) {
  for (let n = 0; n < files; n += 1) {
    const folderNumber = Math.floor(n / FILES_IN_A_FOLDER);
    const folder = join(
      root,
      `part-${Math.floor(folderNumber / FOLDERS_IN_A_PART)}`,
      `folder-${folderNumber}`,
    );
    if (n % FILES_IN_A_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const needle = n % 500 === 250 ? `const found = "needle-${n}";\n` : "";
    writeFileSync(join(folder, `file-${n}.${["ts", "md", "json"][n % 3]}`), BODY + needle);
  }
}
