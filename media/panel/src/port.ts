/** The panel's line to the editor: every request has an id and is answered, late answers are errors of their own. */
import type { PanelMessage, PanelRequest } from '../../../server/src/protocol/messages.ts';
import { panelMessageSchema } from '../../../server/src/protocol/messages.ts';
import { t } from './texts.ts';

export interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** A request as its caller writes it: the id is the port's own. */
export type Ask = PanelRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;
type Pushed = Extract<PanelMessage, { type: 'model' }>;

/** Milliseconds; the server may be in the middle of analysing a large file. */
const PATIENCE = 20_000;

export class Port {
  private next = 1;
  private readonly waiting = new Map<
    number,
    { done: (row: string | undefined) => void; fail: (error: Error) => void }
  >();

  constructor(
    private readonly api: EditorApi,
    onModel: (message: Pushed) => void,
  ) {
    window.addEventListener('message', (event: MessageEvent<unknown>) => {
      const parsed = panelMessageSchema.safeParse(event.data);
      if (!parsed.success) return;
      const message = parsed.data;
      if (message.type === 'model') {
        onModel(message);
        this.api.postMessage({ id: message.id, type: 'received' });
        return;
      }
      const waiter = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error === null) waiter?.done(message.row);
      else waiter?.fail(new Error(message.error));
    });
  }

  /** Resolves with the id of a new row where there is one; rejects with a message that can be shown. */
  ask(request: Ask): Promise<string | undefined> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(t('The editor did not answer. The change may not have been made.')));
      }, PATIENCE);
      this.waiting.set(id, {
        done: (row) => {
          clearTimeout(timer);
          resolve(row);
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.api.postMessage({ ...request, id });
    });
  }

  get state(): unknown {
    return this.api.getState();
  }

  set state(value: unknown) {
    this.api.setState(value);
  }
}
