export type Language = "en" | "zh";

/** Chinese when the goal has more Han characters than Latin words: a Chinese goal may well name English files. */
export function languageOf(goal: string): Language {
  const han = goal.match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = goal.match(/[A-Za-z]+(?![A-Za-z]*[./])/g)?.length ?? 0;
  return han > 0 && han >= words ? "zh" : "en";
}

type Unit = "line" | "file" | "folder" | "hit" | "item";

const UNITS: Record<Unit, [one: string, many: string, zh: string]> = {
  line: ["line", "lines", "行"],
  file: ["file", "files", "个文件"],
  folder: ["folder", "folders", "个目录"],
  hit: ["hit", "hits", "处匹配"],
  item: ["item", "items", "项"],
};

/** "1 line", "2 lines", "2 行". */
export function counted(count: number, unit: Unit, language: Language): string {
  const [one, many, zh] = UNITS[unit];
  return language === "zh" ? `${count} ${zh}` : `${count} ${count === 1 ? one : many}`;
}

/** "512 bytes", "4.1 KB". */
export function byteSize(bytes: number, language: Language): string {
  if (bytes < 1_024)
    return language === "zh" ? `${bytes} 字节` : `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const kb = bytes / 1_024;
  return kb < 1_024 ? `${kb.toFixed(1)} KB` : `${(kb / 1_024).toFixed(1)} MB`;
}
