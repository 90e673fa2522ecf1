import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { loadProviders } from '#server/compose/modules.ts'
import { GatewayError } from '#server/core/errors.ts'
import { dialect } from '#server/dialects/openai/index.ts'
import type { ChatBody } from '#server/provider-kit/contract/chat.ts'
import type { AdapterCall } from '#server/provider-kit/contract/operation-adapter.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { estimatePromptTokens } from '#server/provider-kit/estimate-tokens.ts'
import { readFailure } from '#server/provider-kit/failures.ts'
import { isObject, parseJson } from '#server/provider-kit/json.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { readFixtures } from './provider-fixtures.ts'
import { readStream } from './read-recorded.ts'

const modules = await loadProviders()
const providers = createRegistry(modules).all()
const canonical: unknown = JSON.parse(
  readFileSync('tests/providers/fixtures/openai-chat.request.json', 'utf8'),
)
const RUNS = 200
const CHAT: ChatBody = { model: 'm', messages: [] }
const fixturesOf = new Map(providers.map(provider => [provider, readFixtures(folderOf(provider))]))

function folderOf(provider: Provider): string {
  return [...modules].find(([, module]) => module.provider === provider)?.[0] ?? ''
}

/** Every path in a JSON document. */
function pathsOf(json: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner = typeof json === 'object' && json !== null ? Object.entries(json) : []
  return [path, ...inner.flatMap(([key, value]) => pathsOf(value, [...path, key]))]
}

/** The document with another value at one path, or without that path where the value is undefined. */
function replaceAt(json: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const put = (inner: unknown) => replaceAt(inner, rest, value)
  if (Array.isArray(json)) return json.map((item, index) => (String(index) === key ? put(item) : item))
  return isObject(json) ? { ...json, [key]: put(json[key]) } : json
}

const oddValue = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    'text',
    0,
    -1,
    1.5,
    true,
    [],
    {},
    [null],
    [{}],
    [[]],
    { type: 'custom' },
    [{ type: 'function' }],
  ),
  fc.jsonValue(),
)

/** A document with one to three corrupted values. */
const corrupted = (json: unknown) =>
  fc
    .array(fc.tuple(fc.constantFrom(...pathsOf(json)), oddValue), { minLength: 1, maxLength: 3 })
    .map(changes => changes.reduce((spoiling, [path, value]) => replaceAt(spoiling, path, value), json))

/** Undefined when a GatewayError rejects the input. Any other exception is a bug and propagates. */
function unlessRejected<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined
    throw thrown
  }
}

test('translates any body for every provider or rejects it with a GatewayError', () => {
  fc.assert(
    fc.property(corrupted(canonical), json => {
      const parsed = unlessRejected(() => dialect.chat.parse(JSON.parse(JSON.stringify(json) ?? 'null')))
      if (!parsed) return
      expect(estimatePromptTokens(parsed.body)).toBeGreaterThan(0)
      for (const [{ chat }, { callOf }] of fixturesOf) {
        const request = unlessRejected(() =>
          chat?.request(callOf(parsed.body, parsed.model, parsed.isStream)),
        )
        if (typeof request?.body === 'string') expect(parseJson(request.body)).toBeDefined()
      }
    }),
    { numRuns: RUNS * 5 },
  )
})

for (const [provider, fixtures] of fixturesOf) {
  const folder = folderOf(provider)
  const modelOf = (file: string): string => fixtures.expectations.get(file)?.model ?? 'm'
  const chats = [...fixtures.expectations]
    .filter(([, expected]) => 'content' in expected)
    .map(([file]) => file)

  test(`reads any response of ${folder} without throwing`, () => {
    for (const file of chats.filter(name => name.endsWith('.json')))
      fc.assert(
        fc.property(corrupted(fixtures.json(file)), json =>
          expectReply(provider, json, fixtures.callOf(CHAT, modelOf(file))),
        ),
        { numRuns: RUNS },
      )
  })

  test(`reads any stream of ${folder} without throwing`, () => {
    for (const file of chats.filter(name => name.endsWith('.sse.txt'))) {
      const events = fixtures.text(file).split('\n\n').filter(Boolean)
      fc.assert(
        fc.property(fc.nat(events.length - 1), fc.gen(), (at, gen) => {
          const json = parseJson(events[at]?.replace(/^(event:.*\n)?data: ?/, '') ?? '')
          const odd = `data: ${JSON.stringify(gen(() => corrupted(json))) ?? 'null'}`
          expectStream(
            provider,
            events.with(at, odd).join('\n\n'),
            fixtures.callOf(CHAT, modelOf(file), true),
          )
        }),
        { numRuns: RUNS / 4 },
      )
    }
  })
}

test('reads any error body without throwing and returns a message', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: 400, max: 599 }), (body, status) => {
      const failure = readFailure(status, body, new Headers())
      expect(failure.message).not.toBe('')
      expect(failure.status).toBe(status)
    }),
    { numRuns: RUNS },
  )
})

function expectReply({ chat }: Provider, json: unknown, call: AdapterCall<ChatBody>): void {
  const replied = chat?.reply(JSON.parse(JSON.stringify(json) ?? 'null'), call)
  if (replied?.kind === 'failure') expect(replied.failure.status).toBeGreaterThanOrEqual(400)
  else expectCounts(replied?.usage)
}

function expectStream({ chat }: Provider, text: string, call: AdapterCall<ChatBody>): void {
  const reader = chat?.stream?.(call)
  if (!reader) return
  const { usage } = readStream(chat?.framing ?? 'sse', reader, [new TextEncoder().encode(text)])
  expectCounts(usage)
}

/** Every figure, also those of tools, is a count. A service tier or region is text. */
function expectCounts(value: unknown): void {
  if (typeof value === 'number') expect(value).toBeGreaterThanOrEqual(0)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(expectCounts)
}
