import { closeSync, lstatSync } from "node:fs";
import type { DirectoryPlace, Opener } from "./opener.ts";

/** The other normalised spellings of a text, which look the same; none for plain ASCII. */
function otherForms(text: string): string[] {
  return [text.normalize("NFC"), text.normalize("NFD")].filter((form) => form !== text);
}

/** A path that exists and differs from a missing one in Unicode form alone. */
export function twinOf(opener: Opener, segments: readonly string[]): string | undefined {
  return otherForms(segments.join("/")).find((form) => {
    try {
      closeSync(opener.open(form.split("/")).fd);
      return true;
    } catch {
      return false;
    }
  });
}

/** A name in an open directory that differs from a missing one in Unicode form alone. */
export function twinInDirectory(opener: Opener, directory: DirectoryPlace, name: string): string | undefined {
  return otherForms(name).find((form) => {
    return lstatSync(opener.at(directory, form), { throwIfNoEntry: false }) !== undefined;
  });
}
