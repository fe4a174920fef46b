/** What the readers of models and migrations see of a file: its facts and their index. */
import type { FileIndex } from '../facts/fileIndex.ts';
import type { FileFacts } from '../facts/ir.ts';

export interface SchemaSource {
  readonly facts: FileFacts;
  readonly index: FileIndex;
}
