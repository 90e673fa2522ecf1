import { afterEach, expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

let relay: TestRelay | undefined
afterEach(() => relay?.close())

const TRUE_USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
const HUGE_USAGE = { prompt_tokens: 9, completion_tokens: 1_250_000_000, total_tokens: 1_250_000_009 }
const MILLION_USAGE = { prompt_tokens: 999_000, completion_tokens: 2, total_tokens: 999_002 }

const json = (usage: object) =>
  Response.json({
    choices: [{ index: 0, message: { role: 'assistant', content: 'abcdefgh' }, finish_reason: 'stop' }],
    usage,
  })
function stream(usage: object): Response {
  const events = [
    { choices: [{ index: 0, delta: { content: 'abcdefgh' }, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

async function charge(usage: object, body: object) {
  const isStream = 'stream' in body
  const opened = await TestRelay.open({ send: sendThrough(async () => (isStream ? stream : json)(usage)) })
  relay = opened
  const channelId = await opened.addChannel()
  const messages = [{ role: 'user', content: 'hi' }]
  const request = { model: 'lab', messages, ...body }
  const response = await opened.request('/v1/chat/completions', await opened.addToken(), request)
  await response.text()
  const log = await opened.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
  const receipt = await opened.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  await Bun.sleep(10)
  const channel = await opened.db
    .selectFrom('channels')
    .select(['status', 'other_info'])
    .where('id', '=', channelId)
    .executeTakeFirstOrThrow()
  return { log, receipt: JSON.parse(receipt.body), channel, alarms: opened.usageAlarms }
}

test.each([
  ['a JSON response', HUGE_USAGE, {}],
  ['a stream', HUGE_USAGE, { stream: true }],
  ['a JSON response to a short prompt', MILLION_USAGE, {}],
  ['a stream of a short prompt', MILLION_USAGE, { stream: true }],
])('charges %s by estimate when its usage cannot be true, and raises an alarm', async (_, usage, body) => {
  const { log, receipt, channel, alarms } = await charge(usage, body)
  expect(log.quota).toBeLessThan(20)
  expect(receipt).toMatchObject({ provenance: 'estimated', usage: { output: 2 } })
  expect(receipt.rejected_usage).toMatchObject({ output: usage.completion_tokens })
  expect(channel.status).toBe(1)
  expect(channel.other_info).toContain(`lab: ${usage.prompt_tokens} + ${usage.completion_tokens} tokens`)
  expect(alarms).toHaveLength(1)
})

test.each([
  ['usage that is true', TRUE_USAGE, {}],
  ['a hidden prompt', { prompt_tokens: 150_000, completion_tokens: 2, total_tokens: 150_002 }, {}],
  ['search results', MILLION_USAGE, { web_search_options: {} }],
  ['a tool of the provider', MILLION_USAGE, { tools: [{ type: 'web_search' }] }],
])('charges what the provider reports for %s', async (_, usage, body) => {
  const { receipt, channel, alarms } = await charge(usage, body)
  expect(receipt).toMatchObject({ provenance: 'upstream', usage: { input: usage.prompt_tokens, output: 2 } })
  expect(receipt.rejected_usage).toBeUndefined()
  expect({ alarms, info: channel.other_info }).toEqual({ alarms: [], info: '' })
})
