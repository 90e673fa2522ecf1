import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'gpt-4o-audio-preview'
const HEAD_TO_SOUND = 4_608

let relay: TestRelay | undefined
afterEach(async () => {
  if (!relay) return
  const { drift } = await auditLedger(relay.db)
  const holds = await relay.db.selectFrom('holds').selectAll().execute()
  await relay.close()
  relay = undefined
  expect({ drift, holds }).toEqual({ drift: 0, holds: [] })
})

/** What is charged to a client that leaves after the first words of a stream whose vendor goes on and on. */
async function chargeOfLeaving(delta: object) {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
  const endless = () =>
    new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(new TextEncoder().encode(event)),
    })
  relay = await TestRelay.open({
    settings: {
      prices: {
        modelRatio: { [MODEL]: 1 },
        modelPrice: {},
        completionRatio: { [MODEL]: 4 },
        cacheRatio: {},
        createCacheRatio: {},
        groupRatio: { default: 1 },
      },
    },
    send: sendThrough(
      async () => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }),
    ),
  })
  await relay.addChannel({ models: MODEL })
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }], stream: true }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  expect(new TextDecoder().decode(value)).toBe(event)
  await reader?.cancel()
  const log = await relay.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  return { type: log.type, usage: JSON.parse(receipt.body).usage, quota: log.quota }
}

test('words are paid for', async () => {
  const { type, usage } = await chargeOfLeaving({ content: 'abcdefgh' })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 2 } })
})

test('sound is paid for as sound', async () => {
  const data = 'A'.repeat(10 * HEAD_TO_SOUND)
  const { type, usage, quota } = await chargeOfLeaving({ audio: { id: 'a', transcript: 'abcdefgh', data } })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 2, audioOutput: 10 } })
  expect(quota).toBeGreaterThan(8 + 2 * 4 + 10 * 4)
})

test('what a tool of free text is told is paid for', async () => {
  const called = { name: 'abcd', input: 'abcdefgh' }
  const call = { index: 0, id: 'c', type: 'custom', custom: called }
  const { type, usage } = await chargeOfLeaving({ tool_calls: [call] })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 7 + 1 + 2 } })
})

test('the one call of the first API is paid for', async () => {
  const { type, usage } = await chargeOfLeaving({ function_call: { name: 'abcd', arguments: 'abcdefgh' } })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 7 + 1 + 2 } })
})

test('a picture is paid for as a picture', async () => {
  const url = `data:image/png;base64,${'A'.repeat(100_000)}`
  const { type, usage } = await chargeOfLeaving({
    content: '',
    images: [{ type: 'image_url', image_url: { url } }],
  })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 1_290 + 3 } })
})
