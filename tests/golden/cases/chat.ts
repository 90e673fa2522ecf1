import { type DialectName, failingModel } from '../golden-site.ts'
import type { GoldenCase } from '../recorder.ts'
import { chatCall } from './chat-calls.ts'

/** A model of each provider format. Every client reaches its own provider and one of another format. */
const PROVIDERS: Readonly<Record<DialectName, readonly string[]>> = {
  openai: ['gpt-4o-mini', 'claude-sonnet-4-5-20250929'],
  responses: ['gpt-4o-mini', 'chat-only'],
  anthropic: ['claude-sonnet-4-5-20250929', 'gpt-4o-mini'],
  gemini: ['gemini-2.5-flash', 'claude-sonnet-4-5-20250929'],
  cohere: ['gpt-4o-mini', 'gemini-2.5-flash'],
}

const WAYS = [
  { name: 'JSON' },
  { name: 'streamed', isStream: true },
  { name: 'tools', hasTools: true },
  { name: 'tools streamed', hasTools: true, isStream: true },
] as const

/** Chat in the format of one client, through each of its providers and in every way. */
export function chatCases(dialect: DialectName): Readonly<Record<string, GoldenCase>> {
  const cases = PROVIDERS[dialect].flatMap(model =>
    WAYS.map(({ name, ...way }) => {
      const call = chatCall(dialect, { model, ...way })
      return [`${name} through ${model}`, client => client.call(call)] as const satisfies Case
    }),
  )
  const failures = [false, true].map(isStream => {
    const call = chatCall(dialect, { model: failingModel(dialect, isStream), isStream, text: 'hello' })
    const name = isStream ? 'an error inside a stream' : 'an error of the provider'
    return [name, client => client.call(call)] as const satisfies Case
  })
  return Object.fromEntries([...cases, ...failures].map(([name, work]) => [name, toCase(work)]))
}

type Work = (client: Parameters<GoldenCase>[0]) => Promise<unknown>
type Case = readonly [name: string, work: Work]

const toCase =
  (work: Work): GoldenCase =>
  async client => {
    await work(client)
  }

const REJECTED_TOKENS = ['exhausted', 'poor', 'one model', 'foreign address', 'none'] as const

/** Requests that the gateway itself rejects, in the format of the client. */
export function rejectionCases(dialect: DialectName): Readonly<Record<string, GoldenCase>> {
  const model = 'gpt-4o-mini'
  const usual = chatCall(dialect, { model })
  const calls = {
    'an unknown model': chatCall(dialect, { model: 'no-such-model' }),
    'a malformed body': { ...usual, body: '{"model": "gpt-4o-mini",' },
    'a body of the wrong shape': { ...usual, body: { model, messages: 7, input: 7, contents: 7 } },
    ...Object.fromEntries(REJECTED_TOKENS.map(token => [`the token: ${token}`, { ...usual, token }])),
  }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, toCase(client => client.call(call))]),
  )
}
