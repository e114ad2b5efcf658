/** File names by type: an entry with a dot in front is an extension, any other one a whole name. */
const FILE_TYPES = {
  c: [".c", ".h"],
  cpp: [".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inl"],
  cs: [".cs"],
  css: [".css", ".scss", ".sass", ".less"],
  docker: ["Dockerfile", ".dockerfile", "Containerfile"],
  go: [".go"],
  html: [".html", ".htm"],
  java: [".java"],
  js: [".js", ".jsx", ".mjs", ".cjs", ".vue"],
  json: [".json", ".jsonc", ".jsonl"],
  kotlin: [".kt", ".kts"],
  lua: [".lua"],
  make: ["Makefile", "makefile", "GNUmakefile", ".mk"],
  md: [".md", ".markdown", ".mdx"],
  php: [".php"],
  py: [".py", ".pyi"],
  ruby: [".rb", ".rake", "Gemfile", "Rakefile"],
  rust: [".rs"],
  scala: [".scala", ".sbt"],
  sh: [".sh", ".bash", ".zsh", ".ksh"],
  sql: [".sql"],
  swift: [".swift"],
  toml: [".toml"],
  ts: [".ts", ".tsx", ".mts", ".cts"],
  txt: [".txt"],
  xml: [".xml", ".xsd", ".xsl", ".svg"],
  yaml: [".yaml", ".yml"],
} as const;

export type FileType = keyof typeof FILE_TYPES;

export const FILE_TYPE_NAMES = Object.keys(FILE_TYPES) as FileType[];

export function isOfType(name: string, type: FileType): boolean {
  const known: readonly string[] = FILE_TYPES[type];
  const dot = name.lastIndexOf(".");
  return known.includes(name) || (dot > 0 && known.includes(name.slice(dot)));
}
