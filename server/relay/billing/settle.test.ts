import { afterEach, describe, expect, test } from 'bun:test'
import { verify } from '../../ledger/verify.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hello' }]
const WALLET = 1_000_000_000_000

let relay: TestRelay | undefined

/** Whatever a test did, the books must balance and no hold may stay open. */
afterEach(async () => {
  if (!relay) return
  const { drift } = await verify(relay.db)
  const holds = await relay.db.selectFrom('holds').selectAll().execute()
  await relay.close()
  relay = undefined
  expect({ drift, holds }).toEqual({ drift: 0, holds: [] })
})

/** A relay whose upstream says `hello` and that it used so much, and what a token of input costs. */
async function open(usage: object, unit = 1): Promise<TestRelay> {
  const opened = await TestRelay.open({
    wallet: WALLET,
    settings: {
      prices: {
        modelRatio: { lab: unit },
        modelPrice: {},
        completionRatio: { lab: 2 },
        cacheRatio: {},
        createCacheRatio: {},
        groupRatio: { default: 1 },
      },
    },
    send: sendThrough(async request => {
      const { stream } = (await request.json()) as { stream?: boolean }
      return stream ? streamed(usage) : whole(usage)
    }),
  })
  relay = opened
  await opened.addChannel()
  return opened
}

const whole = (usage: object): Response =>
  Response.json({ choices: [{ index: 0, message: { content: 'hello' }, finish_reason: 'stop' }], usage })

function streamed(usage: object): Response {
  const events = [
    { choices: [{ index: 0, delta: { content: 'hello' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

const logOf = ({ db }: TestRelay) => db.selectFrom('logs').selectAll().executeTakeFirst()
const spentOf = async ({ db }: TestRelay): Promise<number> =>
  WALLET - (await db.selectFrom('users').select('quota').executeTakeFirstOrThrow()).quota

describe.each([false, true])('with stream %p', stream => {
  const ask = async (opened: TestRelay) =>
    (await opened.ask(CHAT, await opened.addToken(), { model: 'lab', messages, stream })).text()

  test.each([1e300, 9_000_000_000_000_000, 1_000_000_001])(
    'a vendor that says it used %d tokens is not believed: the answer is charged by what passed',
    async tokens => {
      const opened = await open({ prompt_tokens: tokens, completion_tokens: 3 })
      expect(await ask(opened)).toContain('hello')
      expect(await logOf(opened)).toMatchObject({
        type: 2,
        quota: 12,
        prompt_tokens: 8,
        completion_tokens: 2,
      })
      expect(await spentOf(opened)).toBe(12)
    },
  )

  test.each([
    { prompt_tokens: -5, completion_tokens: -3 },
    { prompt_tokens: Number.NaN, completion_tokens: null },
    { prompt_tokens: '12', completion_tokens: '3' },
    {},
  ])('figures that are none, as in %j, are estimated and never give anything back', async usage => {
    const opened = await open(usage)
    await ask(opened)
    expect(await spentOf(opened)).toBe(12)
  })

  test('a charge too large to be exact gives the hold back, and the failure is logged', async () => {
    const opened = await open({ prompt_tokens: 7, completion_tokens: 900_000_000 }, 100_000_000)
    expect(await ask(opened)).toContain('"error"')
    expect(await spentOf(opened)).toBe(0)
    expect(await logOf(opened)).toMatchObject({ type: 5, quota: 0 })
  })
})
