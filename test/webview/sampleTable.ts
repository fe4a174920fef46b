/** A table as the server would describe it: every verdict, every state and every kind of lens once. */
import type { TableModel, TableRow } from '../../server/src/protocol/messages.ts';

function row(part: Partial<TableRow> & Pick<TableRow, 'id' | 'lens' | 'failure'>): TableRow {
  return {
    rule: null,
    at: null,
    why: null,
    verdict: 'undecided',
    fields: {},
    proposed: false,
    state: 'undecided',
    stateText: 'Nobody has decided yet.',
    place: null,
    ...part,
  };
}

const at = (line: number): TableRow['place'] => ({
  uri: 'file:///shop/src/webhooks/payments.ts',
  range: { start: { line, character: 4 }, end: { line, character: 24 } },
});

export function sampleTable(): TableModel {
  const model: TableModel = {
    unit: 'POST /webhooks/payments',
    kind: 'webhook',
    code: { file: 'src/webhooks/payments.ts', symbol: 'router.post "/webhooks/payments"' },
    place: at(11),
    domain: ['payments'],
    contract: 'Any number of deliveries of one event gives exactly one fulfilment and always a 200.',
    owner: '@acme/payments',
    lenses: [
      {
        lens: 'boundaries',
        exposure: 'rows',
        text: null,
        unresolved: [],
        rows: [
          row({
            id: 'bnd-q4t87m2x',
            lens: 'boundaries',
            failure: 'An event type that we do not know arrives',
            at: 'switch event.type',
            place: at(20),
            verdict: 'accept',
            fields: {
              because: 'upstream-guarantee',
              reason: 'Logged and answered 200; the provider asks for unknown types to be ignored.',
              owner: 'li',
              expires: '2027-05-29',
            },
            state: 'closed',
            stateText: 'Accepted until 2027-05-29.',
          }),
        ],
      },
      {
        lens: 'hostile-input',
        exposure: 'none',
        text: 'not reachable from outside; the queue is written by billing-api alone',
        unresolved: [],
        rows: [],
      },
      {
        lens: 'partial-failure',
        exposure: 'rows',
        text: null,
        unresolved: [],
        rows: [
          row({
            id: 'prt-ledger01',
            lens: 'partial-failure',
            failure: 'The ledger refuses the booking after the order was marked paid',
            rule: 'writes-without-transaction',
            at: 'tx.order.update',
            place: at(33),
            verdict: 'blocked',
            fields: { blocker: 'the ledger has no reversal call', to: 'ledger team' },
            state: 'blocked',
            stateText: 'Handed to the ledger team.',
          }),
        ],
      },
      {
        lens: 'concurrency',
        exposure: 'rows',
        text: null,
        unresolved: [],
        rows: [
          row({
            id: 'cnc-d9r3k0va',
            lens: 'concurrency',
            failure: 'The provider delivers the same event twice',
            rule: 'redelivery-without-dedup',
            at: 'tx.processedEvent.create',
            place: at(27),
            verdict: 'handle',
            fields: { how: 'unique(event_id), claimed in the transaction that marks the order paid' },
            proposed: true,
            state: 'incomplete',
            stateText: 'Found in the code; its test is not named yet.',
          }),
        ],
      },
      {
        lens: 'resource-exhaustion',
        exposure: 'rows',
        text: null,
        unresolved: [],
        rows: [
          row({
            id: 'res-h5v61c8d',
            lens: 'resource-exhaustion',
            failure: 'Ten thousand redeliveries at once after our own outage',
            why: 'The provider redelivers everything that it got no 200 for.',
            verdict: 'detect',
            fields: { signal: 'alert queue_depth > 1000 for 5 min, pages payments-oncall' },
            state: 'stale',
            stateText: 'The code changed since somebody last looked.',
          }),
        ],
      },
      {
        lens: 'clock',
        exposure: 'open',
        text: 'one call could not be followed',
        unresolved: ['loader.run'],
        rows: [
          row({
            id: 'clk-z3c5w9tn',
            lens: 'clock',
            failure: 'The fulfilment call has no bound and workers starve',
            rule: 'call-without-timeout',
            at: 'fulfilment.start',
            place: at(41),
            why: 'A hanging partner holds one worker for each open request.',
          }),
          row({
            id: 'clk-zz000001',
            lens: 'clock',
            failure: 'An event from yesterday arrives after one from today',
            at: 'event.created',
            state: 'undecided',
          }),
        ],
      },
    ],
    pruned: ['null check after findUniqueOrThrow (payments.ts)'],
    summary: { rows: 0, decided: 0, closed: 0, stale: 0, unlooked: 0 },
  };
  return counted(model);
}

/** Fills in the summary, as the server does. */
export function counted(model: TableModel): TableModel {
  const rows = model.lenses.flatMap((lens) => lens.rows);
  return {
    ...model,
    summary: {
      rows: rows.length,
      decided: rows.filter((one) => one.verdict !== 'undecided').length,
      closed: rows.filter((one) => one.state === 'closed').length,
      stale: rows.filter((one) => one.state === 'stale').length,
      unlooked: model.lenses.filter((lens) => lens.exposure === 'unlooked').length,
    },
  };
}
