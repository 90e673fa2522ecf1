import { afterEach, expect, test } from 'bun:test'
import { MIB } from '../core/limits.ts'
import { auditLedger } from '../ledger/audit.ts'
import { testPrices } from '../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const MODEL = 'gpt-4o-audio-preview'
const BASE64_CHARS_PER_TOKEN = 4_608

let relay: TestRelay | undefined
afterEach(async () => {
  if (!relay) return
  const { drift } = await auditLedger(relay.db)
  const holds = await relay.db.selectFrom('holds').selectAll().execute()
  await relay.close()
  relay = undefined
  expect({ drift, holds }).toEqual({ drift: 0, holds: [] })
})

/** The charge of a client that disconnects after the first event of an endless stream. */
async function chargeAfterDisconnect(delta: object) {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
  const endless = () =>
    new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(new TextEncoder().encode(event)),
    })
  relay = await TestRelay.open({
    prices: testPrices({
      ModelRatio: { [MODEL]: 1 },
      CompletionRatio: { [MODEL]: 4 },
    }),
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

test('charges delivered text', async () => {
  const { type, usage } = await chargeAfterDisconnect({ content: 'abcdefgh' })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 2 } })
})

test('charges delivered audio as audio', async () => {
  const data = 'A'.repeat(10 * BASE64_CHARS_PER_TOKEN)
  const { type, usage, quota } = await chargeAfterDisconnect({
    audio: { id: 'a', transcript: 'abcdefgh', data },
  })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 2, audioOutput: 10 } })
  expect(quota).toBeGreaterThan(8 + 2 * 4 + 10 * 4)
})

test('charges the input of a custom tool call', async () => {
  const called = { name: 'abcd', input: 'abcdefgh' }
  const call = { index: 0, id: 'c', type: 'custom', custom: called }
  const { type, usage } = await chargeAfterDisconnect({ tool_calls: [call] })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 7 + 1 + 2 } })
})

test('charges a call in the deprecated function_call format', async () => {
  const { type, usage } = await chargeAfterDisconnect({
    function_call: { name: 'abcd', arguments: 'abcdefgh' },
  })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 7 + 1 + 2 } })
})

test('charges a delivered image as an image', async () => {
  const url = `data:image/png;base64,${'A'.repeat(100_000)}`
  const { type, usage } = await chargeAfterDisconnect({
    content: '',
    images: [{ type: 'image_url', image_url: { url } }],
  })
  expect({ type, usage }).toEqual({ type: 2, usage: { input: 8, output: 1_290 + 3 } })
})

const sse = (data: unknown) => new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`)
const FIRST = sse({ choices: [{ index: 0, delta: { content: 'hi' } }] })
const FINISH = sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const USAGE = sse({
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 10_075, total_tokens: 10_084 },
})

/** The log row of a client that leaves after the first event, while `rest` is still to come. */
async function rowAfterFirstEvent(
  rest: AsyncIterable<Uint8Array>,
  { model = 'lab', readMs = 2_000, bytesMax = 1_000_000 } = {},
) {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(FIRST)
      for await (const bytes of rest) controller.enqueue(bytes)
      controller.close()
    },
  })
  relay = await TestRelay.open({
    prices: testPrices({
      ModelRatio: { lab: 1, [model]: 1 },
      ModelOutputLimit: { lab: 20_000 },
    }),
    options: { DisconnectReadSeconds: readMs / 1_000, DisconnectReadMegabytes: bytesMax / MIB },
    send: sendThrough(async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
  })
  await relay.addChannel({ models: model })
  const question = { model, messages: [{ role: 'user', content: 'hello' }], stream: true }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), question)
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  const log = await relay.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  return { quota: log.quota, ...JSON.parse(receipt.body) }
}

async function* later(...pieces: readonly Uint8Array[]) {
  for (const piece of pieces) {
    await Bun.sleep(20)
    yield piece
  }
}

async function* endless() {
  for (;;) {
    await Bun.sleep(1)
    yield FIRST
  }
}

test('charges the usage that arrives after the client has left', async () => {
  const row = await rowAfterFirstEvent(later(FINISH, USAGE))
  expect(row).toMatchObject({ ending: 'client-left', provenance: 'upstream', quota: 10_084 })
})

test('stops reading an endless stream after the time, and charges what was read', async () => {
  const startedMs = performance.now()
  const row = await rowAfterFirstEvent(endless(), { readMs: 100 })
  expect(performance.now() - startedMs).toBeLessThan(1_500)
  expect(row).toMatchObject({ ending: 'client-left', provenance: 'estimated' })
  expect(row.usage.output).toBeGreaterThan(1)
})

test('stops reading an endless stream after the bytes', async () => {
  const row = await rowAfterFirstEvent(endless(), { readMs: 60_000, bytesMax: 500 })
  expect(row).toMatchObject({ ending: 'client-left', provenance: 'estimated' })
  expect(row.usage.output).toBeLessThan(20)
})

test('charges the delivered output when nothing is read on', async () => {
  const row = await rowAfterFirstEvent(later(FINISH, USAGE), { readMs: 0 })
  expect(row).toMatchObject({ provenance: 'estimated', usage: { input: 8, output: 1 } })
})
