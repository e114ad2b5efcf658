import { WRITE_MAX_BYTES } from "../edit/file-version.ts";
import { lineStarts } from "../text/line-starts.ts";
import { showCount, showPath } from "../text/show.ts";
import { ToolFailure } from "../tool-body.ts";
import type { EditFileInput } from "./spec.ts";

type Edit = EditFileInput["edits"][number];

/** Places that a failed edit names, at most. */
const PLACES_SHOWN_MAX = 10;

/**
 * Makes the edits in order.
 * @throws ToolFailure invalid_input naming the edit that does not fit
 */
export function applyEdits(path: string, text: string, edits: readonly Edit[]): string {
  return edits.reduce(
    (current, edit, index) => applyEdit(current, edit, { path, name: `edits[${index}]` }),
    text,
  );
}

function applyEdit(text: string, edit: Edit, where: { path: string; name: string }): string {
  if (edit.old_string === edit.new_string) {
    throw new ToolFailure("invalid_input", `${where.name}: old_string and new_string are the same`);
  }
  const fitting = inLineEndsOf(text, edit);
  const places = placesOf(text, fitting.old_string);
  if (places.length === 0) {
    throw new ToolFailure(
      "invalid_input",
      `${where.name}: old_string is not in ${showPath(where.path)}; it must be there to the letter, blanks included. Read the place again`,
    );
  }
  if (places.length > 1 && edit.replace_all !== true) throw ambiguous(text, places, where);
  const grown = text.length + places.length * (fitting.new_string.length - fitting.old_string.length);
  if (grown > WRITE_MAX_BYTES) {
    throw new ToolFailure(
      "invalid_input",
      `${where.name} would make ${showPath(where.path)} ${showCount(grown)} characters long, limit ${showCount(WRITE_MAX_BYTES)}`,
    );
  }
  return replaced(text, places, fitting);
}

/** A model writes a newline alone; a file with CRLF is meant all the same, and what is put in gets CRLF as well. */
function inLineEndsOf(text: string, edit: Edit): Edit {
  if (!text.includes("\r\n") || text.includes(edit.old_string) || edit.old_string.includes("\r")) return edit;
  const toCrlf = (part: string): string => part.replaceAll(/\r?\n/g, "\r\n");
  return { ...edit, old_string: toCrlf(edit.old_string), new_string: toCrlf(edit.new_string) };
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function replaced(text: string, places: readonly number[], edit: Edit): string {
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, place), edit.new_string);
    from = place + edit.old_string.length;
  }
  return parts.join("") + text.slice(from);
}

function ambiguous(
  text: string,
  places: readonly number[],
  where: { path: string; name: string },
): ToolFailure {
  const shown = places.slice(0, PLACES_SHOWN_MAX);
  const lines = shown.map((place) => lineStarts(new TextEncoder().encode(text.slice(0, place + 1))).length);
  const more = places.length > shown.length ? " and more" : "";
  return new ToolFailure(
    "invalid_input",
    `${where.name}: old_string is in ${showPath(where.path)} ${places.length} times, in lines ${lines.join(", ")}${more}; add text around it or set replace_all`,
    { places: places.length },
  );
}
