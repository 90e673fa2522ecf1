import { afterEach, describe, expect, test } from 'bun:test'
import { auditLedger } from '../../ledger/audit.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hello' }]
const WALLET = 1_000_000_000_000

let relay: TestRelay | undefined

/** After every test the ledger must balance and no hold may be open. */
afterEach(async () => {
  if (!relay) return
  const { drift } = await auditLedger(relay.db)
  const holds = await relay.db.selectFrom('holds').selectAll().execute()
  await relay.close()
  relay = undefined
  expect({ drift, holds }).toEqual({ drift: 0, holds: [] })
})

/**
 * Opens a relay whose upstream responds `hello` with this usage. `unit`: the price of an input token. `outputLimit`: the
 * longest answer of the model.
 */
async function open(usage: object, unit = 1, outputLimit = 1_000): Promise<TestRelay> {
  const opened = await TestRelay.open({
    wallet: WALLET,
    prices: testPrices({
      ModelRatio: { lab: unit },
      CompletionRatio: { lab: 2 },
      ModelOutputLimit: { lab: outputLimit },
    }),
    send: sendThrough(async request => {
      const { stream: isStream } = (await request.json()) as { stream?: boolean }
      return isStream ? stream(usage) : json(usage)
    }),
  })
  relay = opened
  await opened.addChannel()
  return opened
}

const json = (usage: object): Response =>
  Response.json({ choices: [{ index: 0, message: { content: 'hello' }, finish_reason: 'stop' }], usage })

function stream(usage: object): Response {
  const events = [
    { choices: [{ index: 0, delta: { content: 'hello' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

const findLog = ({ db }: TestRelay) => db.selectFrom('logs').selectAll().executeTakeFirst()
const findSpent = async ({ db }: TestRelay): Promise<number> =>
  WALLET - (await db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota

describe.each([false, true])('with stream %p', isStream => {
  const ask = async (opened: TestRelay) =>
    (await opened.request(CHAT, await opened.addToken(), { model: 'lab', messages, stream: isStream })).text()

  test.each([1e300, 9_000_000_000_000_000, 1_000_000_001])(
    'charges the delivered output when the provider reports an implausible %d tokens',
    async tokens => {
      const opened = await open({ prompt_tokens: tokens, completion_tokens: 3 })
      expect(await ask(opened)).toContain('hello')
      expect(await findLog(opened)).toMatchObject({
        type: 2,
        quota: 12,
        prompt_tokens: 8,
        completion_tokens: 2,
      })
      expect(await findSpent(opened)).toBe(12)
    },
  )

  test.each([
    { prompt_tokens: -5, completion_tokens: -3 },
    { prompt_tokens: Number.NaN, completion_tokens: null },
    { prompt_tokens: '12', completion_tokens: '3' },
    {},
  ])('charges an estimate and never refunds for the invalid figures %j', async usage => {
    const opened = await open(usage)
    await ask(opened)
    expect(await findSpent(opened)).toBe(12)
  })

  test('releases the hold and logs a failure when the charge is too large to be exact', async () => {
    const opened = await open({ prompt_tokens: 7, completion_tokens: 6_900_000 }, 900_000_000, 3_500_000)
    expect(await ask(opened)).toContain('"error"')
    expect(await findSpent(opened)).toBe(0)
    expect(await findLog(opened)).toMatchObject({ type: 5, quota: 0 })
  })
})
