import { afterEach, beforeEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const FAILURES_THAT_OPEN_A_CIRCUIT = 5
const TEXT_BEYOND_HOLD = 'word '.repeat(4000)
const UNIT = 1

let relay: TestRelay
let key: string
let sendRest: () => void

beforeEach(async () => {
  relay = await TestRelay.open({ send: sendThrough(async () => respondInTwoParts()) })
  await relay.addChannel()
  key = await relay.addToken()
})
afterEach(() => relay.close())

/** Sends `hello`, and after `sendRest` more text than the hold covers. */
function respondInTwoParts(): Response {
  const encoder = new TextEncoder()
  const gate = Promise.withResolvers<void>()
  sendRest = gate.resolve
  const event = (content: string) =>
    encoder.encode(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(event('hello'))
      await gate.promise
      controller.enqueue(event(TEXT_BEYOND_HOLD))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function callWhileStorageFails(): Promise<string> {
  const response = await relay.request('/v1/chat/completions', key, {
    model: 'lab',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const first = (await reader?.read())?.value ?? ''
  await relay.db.schema.alterTable('postings').renameTo('postings_away').execute()
  sendRest()
  setTimeout(() => void relay.db.schema.alterTable('postings_away').renameTo('postings').execute(), 200)
  let rest = ''
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) rest += read.value
  expect(first).toContain('hello')
  return rest
}

test('charges the delivered part of a stream that a storage failure ends, and keeps its channel healthy', async () => {
  for (let count = 0; count < FAILURES_THAT_OPEN_A_CIRCUIT; count += 1) {
    const rest = await callWhileStorageFails()
    expect(rest).toContain('storage_failed')
    expect(rest).not.toContain('word')
  }
  const rows = await relay.db
    .selectFrom('logs')
    .innerJoin('receipts', 'receipts.log_id', 'logs.id')
    .select(['quota', 'prompt_tokens', 'completion_tokens', 'body'])
    .execute()
  expect(rows).toHaveLength(FAILURES_THAT_OPEN_A_CIRCUIT)
  for (const { quota, prompt_tokens, completion_tokens, body } of rows) {
    expect(JSON.parse(body)).toMatchObject({ ending: 'storage-failed', provenance: 'estimated' })
    expect(completion_tokens).toBe(2)
    expect(quota).toBe(UNIT * prompt_tokens + 2 * UNIT * completion_tokens)
  }
  const [channel] = relay.context.channels.current().find('default', 'lab')
  expect(channel && relay.context.health.skipReason(channel)).toBeUndefined()
  expect(await auditLedger(relay.db)).toMatchObject({ drift: 0 })
}, 20_000)

test('says when to try again while nothing can be reserved', async () => {
  await relay.db.schema.alterTable('holds').renameTo('holds_away').execute()
  const response = await relay.request('/v1/chat/completions', key, {
    model: 'lab',
    messages: [{ role: 'user', content: 'hello' }],
  })
  await relay.db.schema.alterTable('holds_away').renameTo('holds').execute()
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
})
