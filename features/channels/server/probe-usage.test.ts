import { expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { probeUsage } from './probe-usage.ts'

/** How an upstream counts. */
interface Relay {
  readonly multiplier?: number
  readonly isCachedSeparate?: boolean
  readonly isReasoningSeparate?: boolean
  readonly reasoning?: number
  readonly hiddenTokens?: number
  readonly hasTotal?: boolean
}

const TEXT = 'about two thousand words, as far as I can tell'
const TEXT_TOKENS = 11

function createUpstream(relay: Relay) {
  const { multiplier = 1, reasoning = 0, hiddenTokens = 7 } = relay
  const known = new Set<string>()
  return (content: string) => {
    const prompt = content.split(' ').length + hiddenTokens
    const cached = known.has(content) ? prompt - 50 : 0
    known.add(content)
    const part = (tokens: number): number => Math.round(tokens * multiplier)
    const input = relay.isCachedSeparate ? prompt - cached : prompt
    const output = relay.isReasoningSeparate ? TEXT_TOKENS : TEXT_TOKENS + reasoning
    return Response.json({
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: part(input),
        completion_tokens: part(output),
        ...(relay.hasTotal && { total_tokens: part(prompt) + part(TEXT_TOKENS + reasoning) }),
        prompt_tokens_details: { cached_tokens: part(cached) },
        completion_tokens_details: { reasoning_tokens: part(reasoning) },
      },
    })
  }
}

async function probe(relay: Relay, setting: object = {}) {
  const respond = createUpstream(relay)
  const opened = await TestRelay.open({
    send: sendThrough(async request => {
      const { messages } = JSON.parse(await request.text())
      return respond(messages[0].content)
    }),
  })
  try {
    const id = await opened.addChannel({ setting: JSON.stringify(setting) })
    return await probeUsage(opened.context, id, '')
  } finally {
    await opened.close()
  }
}

const USUAL = { cached_tokens: 'included', usage_multiplier: 1 } as const

test.each<readonly [string, Relay, object]>([
  ['as the provider', {}, USUAL],
  ['a long hidden prompt', { hiddenTokens: 9_000 }, USUAL],
  ['multiplied figures', { multiplier: 2.5 }, { ...USUAL, usage_multiplier: 2.5 }],
  ['reduced figures', { multiplier: 0.5 }, { ...USUAL, usage_multiplier: 0.5 }],
  ['cached tokens beside input', { isCachedSeparate: true }, { ...USUAL, cached_tokens: 'separate' }],
  [
    'cached tokens beside input, in the total',
    { isCachedSeparate: true, hasTotal: true, hiddenTokens: 2_000 },
    { ...USUAL, cached_tokens: 'separate' },
  ],
  ['reasoning inside output', { reasoning: 300 }, { ...USUAL, reasoning_tokens: 'included' }],
  [
    'reasoning beside output',
    { reasoning: 300, isReasoningSeparate: true },
    { ...USUAL, reasoning_tokens: 'separate' },
  ],
  [
    'everything at once',
    { reasoning: 300, isReasoningSeparate: true, isCachedSeparate: true, multiplier: 3 },
    { cached_tokens: 'separate', reasoning_tokens: 'separate', usage_multiplier: 3 },
  ],
])('finds out that an upstream counts %s', async (_, relay, findings) => {
  expect((await probe(relay)).findings).toEqual(findings)
})

test("looks at the reported figures, independent of the channel's settings", async () => {
  const setting = { cached_tokens: 'separate', usage_multiplier: 4 }
  expect((await probe({ multiplier: 2 }, setting)).findings).toEqual({ ...USUAL, usage_multiplier: 2 })
})

test('says nothing without figures that show it', async () => {
  const { requests, findings } = await probe({ reasoning: 20 })
  expect(requests).toHaveLength(3)
  expect(findings).not.toHaveProperty('reasoning_tokens')
})
