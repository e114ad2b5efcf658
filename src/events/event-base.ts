/**
 * What happened in a run. Types are dotted and past-tense nouns (`run.started` is RunStartedEvent); fields are
 * snake_case because they are what stands in events.jsonl. docs/events.md has a row for each type, held by a test.
 */
export abstract class EventBase<Fields extends object> {
  constructor(fields: Fields) {
    Object.assign(this, fields);
  }
}
