import { expect, test } from 'bun:test'
import { NO_USAGE, type Usage } from '../../core/usage.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const OPENAI = 1
const ANTHROPIC = 14

interface Case {
  readonly type?: number
  readonly setting?: object
  readonly usage: object
  readonly isStream?: boolean
}

const MESSAGE = { id: 'm', type: 'message', role: 'assistant', model: 'lab', stop_reason: 'end_turn' }

function respond(type: number, usage: object, isStream: boolean): Response {
  if (type === ANTHROPIC) return Response.json({ ...MESSAGE, content: [{ type: 'text', text: 'hi' }], usage })
  if (!isStream)
    return Response.json({
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage,
    })
  const events = [
    { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

/** The usage that is charged, and the alarms that it raises. */
async function charge({ type = OPENAI, setting = {}, usage, isStream = false }: Case) {
  const relay = await TestRelay.open({ send: sendThrough(async () => respond(type, usage, isStream)) })
  await relay.addChannel({ type, setting: JSON.stringify(setting) })
  const path = type === ANTHROPIC ? '/v1/messages' : '/v1/chat/completions'
  const messages = [{ role: 'user', content: 'hi' }]
  const body = { model: 'lab', max_tokens: 99, messages, ...(isStream && { stream: true }) }
  await (await relay.request(path, await relay.addToken(), body)).text()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  await relay.close()
  const billed: Partial<Usage> = JSON.parse(receipt.body).usage
  return { usage: billed, alarms: relay.usageAlarms.map(([, reason]) => reason.replace(/, request.*/, '')) }
}

type Figures = readonly [
  prompt: number,
  cached: number,
  completion: number,
  reasoning?: number,
  total?: number,
]

const chat = (...[prompt, cached, completion, reasoning = 0, total = 0]: Figures) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...(total > 0 && { total_tokens: total }),
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
})

test.each([false, true])('counts as the channel says, streamed: %p', async isStream => {
  const cases: readonly (readonly [object, object, Partial<Usage>])[] = [
    [{}, chat(100, 40, 30, 10), { input: 60, cachedInput: 40, output: 20, reasoning: 10 }],
    [{ cached_tokens: 'separate' }, chat(100, 40, 30), { input: 100, cachedInput: 40, output: 30 }],
    [{ cached_tokens: 'separate' }, chat(10, 400, 30), { input: 10, cachedInput: 400, output: 30 }],
    [{ reasoning_tokens: 'separate' }, chat(100, 0, 30, 50), { input: 100, output: 30, reasoning: 50 }],
    [{ usage_multiplier: 2.5 }, chat(250, 100, 30), { input: 60, cachedInput: 40, output: 12 }],
    [{ cached_tokens: 'included' }, chat(100, 40, 30), { input: 60, cachedInput: 40, output: 30 }],
  ]
  for (const [setting, usage, expected] of cases) {
    const charged = await charge({ setting, usage, isStream })
    expect({ setting, ...charged }).toEqual({ setting, usage: expected, alarms: [] })
  }
})

test("counts cached tokens of Anthropic's format beside input, or inside where the channel says so", async () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 30 }
  const usual = await charge({ type: ANTHROPIC, usage })
  expect(usual.usage).toEqual({ input: 100, cachedInput: 40, output: 30 })
  const included = await charge({ type: ANTHROPIC, usage, setting: { cached_tokens: 'included' } })
  expect(included.usage).toEqual({ input: 60, cachedInput: 40, output: 30 })
})

test('warns of a setting that the figures contradict, and charges as it says', async () => {
  const cases: readonly (readonly [object, Partial<Usage>, string[]])[] = [
    [chat(10, 400, 30), { cachedInput: 10, output: 30 }, ['lab: cached_tokens (400)']],
    [chat(100, 40, 30, 0, 170), { input: 60, cachedInput: 40, output: 30 }, ['lab: cached_tokens (40)']],
    [chat(100, 0, 30, 50), { input: 100, reasoning: 30 }, ['lab: reasoning_tokens (50)']],
    [chat(100, 0, 30, 20, 150), { input: 100, output: 10, reasoning: 20 }, ['lab: reasoning_tokens (20)']],
    [
      chat(100, 40, 30, 20, 190),
      { input: 60, cachedInput: 40, output: 10, reasoning: 20 },
      ['lab: cached_tokens (40), reasoning_tokens (20)'],
    ],
    [chat(100, 40, 30, 20, 130), { input: 60, cachedInput: 40, output: 10, reasoning: 20 }, []],
    [chat(100, 40, 30, 20, 999), { input: 60, cachedInput: 40, output: 10, reasoning: 20 }, []],
  ]
  for (const [usage, expected, alarms] of cases)
    expect(await charge({ usage })).toEqual({ usage: expected, alarms })
})

test('does not warn of what the setting already says', async () => {
  const setting = { cached_tokens: 'separate', reasoning_tokens: 'separate' }
  const charged = await charge({ setting, usage: chat(10, 400, 30, 50, 490) })
  expect(charged).toEqual({ usage: { input: 10, cachedInput: 400, output: 30, reasoning: 50 }, alarms: [] })
  expect(NO_USAGE).not.toHaveProperty('separate')
})

test('warns of a channel whose figures are a multiple of our own count twenty times in a row', async () => {
  let multiplier = 3
  const words = 3_000
  const relay = await TestRelay.open({
    wallet: 1_000_000_000,
    send: sendThrough(async () => respond(OPENAI, chat(words * multiplier, 0, 3), false)),
  })
  await relay.addChannel()
  const token = await relay.addToken()
  const messages = [{ role: 'user', content: 'word '.repeat(words) }]
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent++)
      await (await relay.request('/v1/chat/completions', token, { model: 'lab', messages })).text()
  }
  await send(19)
  multiplier = 1
  await send(1)
  multiplier = 3
  await send(19)
  expect(relay.usageAlarms).toEqual([])
  await send(1)
  await relay.close()
  expect(relay.usageAlarms.map(([, reason]) => reason)).toEqual([
    expect.stringMatching(/^lab: usage_multiplier \(about \d(\.\d)?\), request /),
  ])
})
