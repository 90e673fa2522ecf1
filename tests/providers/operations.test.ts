import { describe, expect, test } from 'bun:test'
import { loadProviders } from '#server/compose/modules.ts'
import { completionTokens, NO_USAGE, promptTokens, type Usage } from '#server/core/usage.ts'
import type { ChatChunk } from '#server/provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  OperationAdapter,
  StreamReader,
  UpstreamRequest,
} from '#server/provider-kit/contract/operation-adapter.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { type Failure, readAdapterFailure } from '#server/provider-kit/failures.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asObject, FormFile, type JsonObject } from '#server/provider-kit/json.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { type Expectation, OPERATION_KEYS, type ProviderFixtures, readFixtures } from './provider-fixtures.ts'
import { byteByByte } from './read-recorded.ts'

type Key = (typeof OPERATION_KEYS)[number]
type AnyAdapter = OperationAdapter<JsonObject, unknown, ChatChunk>

const file = new FormFile({ name: 'a.wav', mediaType: 'audio/wav', bytes: new Uint8Array([82, 73, 70, 70]) })

/** The default request body of each operation. */
const BODIES: Readonly<Record<Key, JsonObject>> = {
  completions: { prompt: 'Hello' },
  images: { prompt: 'a lighthouse' },
  imageEdits: { prompt: 'a lighthouse', image: [file] },
  imageVariations: { image: file },
  speech: { input: 'Hello.', voice: 'alloy' },
  transcription: { file },
  translation: { file },
  rerank: {
    query: 'capital of Portugal',
    documents: ['Porto has a river.', 'Lisbon is the capital of Portugal.'],
  },
  moderation: { input: 'hello' },
}

const modules = await loadProviders()

for (const provider of createRegistry(modules).all()) {
  const folder = [...modules].find(([, module]) => module.provider === provider)?.[0] ?? ''
  const fixtures = readFixtures(folder)
  const keys = OPERATION_KEYS.filter(key => provider[key])
  const recorded = [...fixtures.expectations].filter(([, { operation }]) => operation)
  if (keys.length + recorded.length > 0)
    describe(`operations of ${folder}`, () => {
      for (const key of keys) checkOperation(provider, key, fixtures)
      test('has an operation for every fixture', () =>
        expect(recorded.filter(([, { operation }]) => !operation || !provider[operation])).toEqual([]))
    })
}

function checkOperation(provider: Provider, key: Key, fixtures: ProviderFixtures): void {
  const adapter = adapterOf(provider, key)
  const recorded = [...fixtures.expectations].filter(([, { operation }]) => operation === key)

  test(`has a fixture for ${key}`, () => expect(recorded).not.toEqual([]))
  for (const [name, expected] of recorded) {
    test(`reads ${name}`, () => checkResponse(adapter, key, name, fixtures))
    if (expected.request)
      test(`builds the request in ${expected.request}`, () => checkRequest(adapter, key, expected, fixtures))
  }
  test(`keeps the key of ${key} out of URLs and bodies`, () => {
    expectSecretsKept(adapter.request(callOf(key, recorded[0]?.[1], fixtures)), fixtures)
  })
  for (const [index, error] of fixtures.errors.entries())
    test(`reads error ${index + 1} of ${key} like chat does`, () => {
      const text = typeof error.body === 'string' ? error.body : JSON.stringify(error.body)
      const failure = readAdapterFailure(adapter, error.status, text, new Headers(error.headers))
      expect(failure).toMatchObject({ ...error.expect, status: error.map_to_status ?? error.status })
      expect(failure.message).not.toMatch(/^$|<html|https?:/)
    })
}

/**
 * Bodies and replies differ between operations. The cast is safe because each fixture holds what its operation
 * expects.
 */
function adapterOf(provider: Provider, key: Key): AnyAdapter {
  return provider[key] as AnyAdapter
}

function callOf(
  key: Key,
  expected: Expectation | undefined,
  fixtures: ProviderFixtures,
): AdapterCall<JsonObject> {
  const model = expected?.model ?? 'MODEL'
  const body: JsonObject = { ...BODIES[key], ...expected?.body, model }
  return fixtures.callOf(body, model, body.stream === true || body.stream === 'true')
}

function checkResponse(adapter: AnyAdapter, key: Key, name: string, fixtures: ProviderFixtures): void {
  const expected = fixtures.expectations.get(name) ?? {}
  const call = callOf(key, expected, fixtures)
  const steps = [...(expected.responses ?? [name])]
  for (const step of steps.slice(0, -1)) {
    const next = adapter.nextPoll?.(fixtures.json(step), call)
    expect(next?.afterMs).toBeGreaterThan(0)
    if (next) expectSecretsKept(next.request, fixtures)
  }
  const last = steps.at(-1) ?? name
  const kind = adapter.responseKind?.(call, contentTypeOf(last, expected)) ?? 'json'
  if (kind === 'passthrough') checkPassthrough(adapter, call, last, fixtures)
  else checkRead(adapter, call, kind, { last, expected, fixtures })
}

interface Recorded {
  readonly last: string
  readonly expected: Expectation
  readonly fixtures: ProviderFixtures
}

function checkRead(
  adapter: AnyAdapter,
  call: AdapterCall<JsonObject>,
  kind: 'json' | 'text' | 'bytes',
  { last, expected, fixtures }: Recorded,
): void {
  const readers = {
    json: () => fixtures.json(last),
    text: () => fixtures.text(last),
    bytes: () => fixtures.bytes(last),
  }
  const response = readers[kind]()
  expect(adapter.nextPoll?.(response, call)).toBeUndefined()
  const replied = adapter.reply(response, call)
  if (replied.kind === 'failure')
    expect(replied.failure).toMatchObject(expected.error ?? { code: 'none expected' })
  else expect({ reply: replied.reply, usage: usageOf(replied.usage) }).toMatchObject(readable(expected))
}

function contentTypeOf(name: string, expected: Expectation): string {
  if (expected.content_type) return expected.content_type
  return name.endsWith('.sse.txt') ? 'text/event-stream' : 'application/json'
}

const readable = ({ reply, usage, error }: Expectation) => {
  expect(error).toBeUndefined()
  expect(usage).toBeDefined()
  return { ...(reply && { reply }), usage }
}

const usageOf = (usage: Usage | undefined) => {
  if (!usage) return 'estimated'
  const { imageInput, audioInput } = usage
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    ...(imageInput > 0 && { image_tokens: imageInput }),
    ...(audioInput > 0 && { audio_tokens: audioInput }),
  }
}

function checkPassthrough(
  adapter: AnyAdapter,
  call: AdapterCall<JsonObject>,
  name: string,
  fixtures: ProviderFixtures,
): void {
  const expected = fixtures.expectations.get(name)
  const bytes = fixtures.bytes(name)
  const readCuts = (cuts: Iterable<Uint8Array>) => {
    const reader = name.endsWith('.sse.txt') ? adapter.stream?.(call) : undefined
    const failure = reader && findFailure(reader, cuts)
    const end = reader?.end() ?? { usage: undefined, isComplete: true }
    return { failure, usage: end.usage ?? NO_USAGE, isComplete: end.isComplete }
  }
  const expectedOutcome = readCuts([bytes])
  expect(usageOf(expectedOutcome.usage)).toMatchObject(asObject(expected?.usage))
  expect(expectedOutcome).toMatchObject({
    failure: expected?.error,
    isComplete: expected?.error === undefined,
  })
  expect(readCuts(byteByByte(bytes))).toEqual(expectedOutcome)
}

function findFailure(reader: StreamReader<ChatChunk>, cuts: Iterable<Uint8Array>): Failure | undefined {
  const framer = createFramer('sse')
  const events = [...cuts].flatMap(cut => framer.push(cut))
  const pieces = [...events, ...framer.end()].flatMap(event => reader.read(event))
  const failed = pieces.find(({ type }) => type === 'failure')
  return failed?.type === 'failure' ? failed.failure : undefined
}

function checkRequest(
  adapter: AnyAdapter,
  key: Key,
  expected: Expectation,
  fixtures: ProviderFixtures,
): void {
  const { body } = adapter.request(callOf(key, expected, fixtures))
  expect(JSON.parse(String(body))).toEqual(fixtures.json(expected.request ?? ''))
}

function expectSecretsKept({ url, body }: UpstreamRequest, { secrets }: ProviderFixtures): void {
  const text = body instanceof FormData ? JSON.stringify([...body]) : String(body ?? '')
  for (const secret of secrets) {
    expect(url).not.toContain(secret)
    expect(text).not.toContain(secret)
  }
  expect(() => new URL(url)).not.toThrow()
}
