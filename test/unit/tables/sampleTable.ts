/** A table as people keep it: comments, a folded contract, flow maps, every verdict. */
export const SAMPLE = `# reviewed every quarter
sixlens: 1
unit: POST /hooks/orders
kind: webhook
code: { file: src/hooks/orders.ts, symbol: 'router.post "/hooks/orders"' }
contract: >-
  However often one order event arrives, one parcel leaves, and the sender
  always gets a 200.
owner: "@shop/orders"    # team handle

rows:
  bnd-q4t87m2x:
    failure: unknown event type
    at: switch event.type
    verdict: accept
    because: upstream-guarantee
    reason: logged and answered 200
    owner: li
    expires: "2027-05-29"
    seen: { code: s0b6e2f, date: "2026-11-30", by: li }

  cnc-d9r3k0va:
    # the big one
    failure: the sender delivers the same event twice
    rule: redelivery-without-dedup
    at: tx.seenEvent.create
    verdict: handle
    how: unique(event_id) in the transaction   # see ADR 7
    test: test/hooks/orders.test.ts > second delivery ships nothing
    team-note: keep me

  clk-z3c5w9tn:
    failure: parcel call has no bound
    rule: call-without-timeout
    at: parcels.create
    verdict: undecided

lenses:
  hostile-input:
    exposure: none
    reason: only the order service can reach it
    seen: { code: s91be04, date: "2026-11-30", by: ana }

pruned:
  - "null check after findUniqueOrThrow"      # or: nothing to prune
`;
