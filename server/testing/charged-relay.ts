import { afterEach, expect } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import type { PriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from './test-relay.ts'

const WALLET = 1_000_000
const OPENAI = 1

type Upstream = (request: Request) => Response | Promise<Response>

/** Opens relays with one upstream for the tests of a file. After each test the ledger must balance and no hold may be open. */
export function describeCharges({ prices, models }: { readonly prices: PriceBook; readonly models: string }) {
  let opened: TestRelay | undefined
  const upstreamRequests: Request[] = []

  afterEach(async () => {
    if (!opened) return
    const { drift, findings } = await auditLedger(opened.db)
    const holds = await opened.db.selectFrom('holds').selectAll().execute()
    await opened.close()
    opened = undefined
    expect({ drift, findings, holds }).toEqual({ drift: 0, findings: [], holds: [] })
  })

  return {
    /** What the upstream received since the relay was opened. */
    upstreamRequests,
    /** Opens a relay with this upstream. Returns a function that calls it with a key. */
    async open(
      upstream: Upstream,
      type = OPENAI,
    ): Promise<(path: string, body: unknown) => Promise<Response>> {
      upstreamRequests.length = 0
      const relay = await TestRelay.open({
        prices,
        wallet: WALLET,
        send: sendThrough(async request => {
          upstreamRequests.push(request.clone())
          return upstream(request)
        }),
      })
      opened = relay
      await relay.addChannel({ type, models })
      const key = await relay.addToken()
      return (path, body) => relay.request(path, key, body)
    },
    /** Units that the wallet paid. */
    async getSpent(): Promise<number> {
      const user = await opened?.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()
      return WALLET - (user?.quota ?? 0)
    },
    findLastLog: () =>
      opened?.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst(),
  }
}

export function createForm(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
