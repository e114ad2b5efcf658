// What every contender does: it reads files of 4 KB by a tool, one for each model call, and answers.
export const GOAL = "Read README.md and tell me what the project is.";
export const ANSWER = "The project keeps ships in a queue, and this sentence is the whole answer.";
/** Stands in the files and nowhere else: a request that holds it proves that one was read. */
export const MARKER = "marker-7f3a9c";

const LINE = "Harbour keeps ships in a queue; none is lost, and each waits until there is room for it.\n";

export const fileName = (call) => (call === 0 ? "README.md" : `notes-${call}.md`);

export function readme() {
  return `# Harbour\n\n${MARKER}\n\n${LINE.repeat(100)}`.slice(0, 4_096);
}
