import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { loadProviders } from '#server/compose/modules.ts'
import { dialect } from '#server/dialects/openai/index.ts'
import type { ChatBody, ChatReply } from '#server/provider-kit/contract/chat.ts'
import type {
  AdapterResult,
  NativeAdapter,
  UpstreamRequest,
} from '#server/provider-kit/contract/operation-adapter.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { readAdapterFailure } from '#server/provider-kit/failures.ts'
import { asObject, asString } from '#server/provider-kit/json.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { checkTask, isOfTask } from './check-task.ts'
import { checkTokenCount } from './check-token-count.ts'
import { type Expectation, type ProviderFixtures, readFixtures } from './provider-fixtures.ts'
import { byteByByte, flatUsage, type Reading, readStream, toExpected } from './read-recorded.ts'

/** A new provider only adds its folder with fixtures; these tests find it. */
const modules = await loadProviders()
const registry = createRegistry(modules)
const canonical: unknown = JSON.parse(
  readFileSync('tests/providers/fixtures/openai-chat.request.json', 'utf8'),
)

const isStream = (file: string): boolean => !file.endsWith('.json')

for (const provider of registry.all()) {
  const folder = [...modules].find(([, module]) => module.provider === provider)?.[0] ?? ''
  describe(`provider ${folder}`, () => checkProvider(provider, readFixtures(folder)))
}

test('finds providers', () => expect(registry.all()).not.toEqual([]))

function checkProvider(provider: Provider, fixtures: ProviderFixtures): void {
  const files = [...fixtures.expectations]
  const named = (operation: 'content' | 'error' | 'vectors' | 'models') =>
    files.filter(([, expected]) => operation in expected)
  const chats = files.filter(
    ([, expected]) =>
      ('content' in expected || 'error' in expected) && !expected.operation && !isOfTask(expected),
  )

  test('has a fixture for every capability', () => {
    if (provider.chat) expect(chats.filter(([file]) => !isStream(file))).not.toEqual([])
    if (provider.chat?.stream) expect(chats.filter(([file]) => isStream(file))).not.toEqual([])
    if (provider.embeddings) expect(named('vectors')).not.toEqual([])
    if (provider.listModels) expect(named('models')).not.toEqual([])
    if (provider.balance) expect(fixtures.expectations.has('balance')).toBe(true)
    expect(fixtures.errors).not.toEqual([])
  })

  test('covers every fixture file', () => {
    const used = files.flatMap(([file, expected]) => [
      ...(expected.responses ?? [file]),
      ...(expected.request ? [expected.request] : []),
    ])
    const known = [...used, 'expect.json', 'errors.json', 'channel.json', 'request.from-openai.json']
    expect(fixtures.files.filter(file => !known.includes(file))).toEqual([])
  })

  for (const [file] of chats) {
    if (isStream(file))
      test(`reads ${file} at any chunk boundaries`, () => checkStream(provider, fixtures, file))
    else test(`reads ${file}`, () => checkJson(provider, fixtures, file))
  }
  for (const [file] of named('vectors'))
    test(`reads ${file}`, () => checkEmbeddings(provider, fixtures, file))
  for (const [file] of named('models')) test(`reads ${file}`, () => checkModels(provider, fixtures, file))
  const balance = fixtures.expectations.get('balance')
  if (balance) test('reads the balance', () => checkBalance(provider, fixtures, balance))

  for (const [index, recorded] of fixtures.errors.entries()) {
    const text = typeof recorded.body === 'string' ? recorded.body : JSON.stringify(recorded.body)
    test(`maps error ${index + 1}, a ${recorded.status}`, () => {
      const failure = readAdapterFailure(
        provider.chat ?? provider.task?.submit ?? {},
        recorded.status,
        text,
        new Headers(recorded.headers),
      )
      expect(failure).toMatchObject({ ...recorded.expect, status: recorded.map_to_status ?? recorded.status })
      expect(failure.code).not.toBe('')
      expect(failure.message).not.toMatch(/^$|<html|https?:/)
    })
  }

  test('keeps the key and its credential out of URLs and bodies', () => checkSecrets(provider, fixtures))
  checkTask(provider, fixtures)
  checkTokenCount(provider, fixtures)
  if (fixtures.files.includes('request.from-openai.json'))
    test('builds the recorded request', () => checkRequest(provider, fixtures))
}

const chatOf = (provider: Provider) => {
  if (!provider.chat) throw new Error('there is a chat fixture, but the provider has no chat')
  return provider.chat
}

const expectationOf = (fixtures: ProviderFixtures, file: string): Expectation =>
  fixtures.expectations.get(file) ?? {}

function checkJson(provider: Provider, fixtures: ProviderFixtures, file: string): void {
  const { model = 'MODEL', ...expected } = expectationOf(fixtures, file)
  const json = fixtures.json(file)
  const call = fixtures.callOf(parsedChat(false), model)
  expectReading(readingOf(chatOf(provider).reply(json, call)), expected)
  if (expected.error) return
  for (const native of nativesOf(provider, model))
    expectReading(readingOf(native.reply(json, fixtures.callOf({}, model))), expected)
}

/** The native adapters whose responses have the format of chat. They must read the same fixtures alike. */
const nativesOf = (provider: Provider, model: string): readonly NativeAdapter[] =>
  Object.values(provider.native ?? {}).filter(({ serves, nativeFormat }) =>
    serves ? serves(model) : nativeFormat === chatOf(provider).nativeFormat,
  )

const readingOf = (replied: AdapterResult<ChatReply>): Reading =>
  replied.kind === 'reply'
    ? { reply: replied.reply, usage: replied.usage, failure: undefined, isComplete: true }
    : { reply: { choices: [] }, usage: undefined, failure: replied.failure, isComplete: false }

function checkStream(provider: Provider, fixtures: ProviderFixtures, file: string): void {
  const { model = 'MODEL', ...expected } = expectationOf(fixtures, file)
  const bytes = fixtures.bytes(file)
  const framing = chatOf(provider).framing ?? 'sse'
  const readerFactories = [
    () => chatOf(provider).stream?.(fixtures.callOf(parsedChat(true), model, true)),
    ...nativesOf(provider, model).map(adapter => () => adapter.stream?.(fixtures.callOf({}, model, true))),
  ]
  for (const open of readerFactories) {
    const read = (cuts: Iterable<Uint8Array>): Reading => {
      const reader = open()
      if (!reader) throw new Error('there is a recorded stream, but the provider does not stream')
      return readStream(framing, reader, cuts)
    }
    const uncut = read([bytes])
    expectReading(uncut, expected)
    expect(uncut.isComplete).toBe(!expected.error)
    expect(read(byteByByte(bytes))).toEqual(uncut)
    if (!file.endsWith('.b64.txt')) expect(read(byteByByte(withCrLf(fixtures.text(file))))).toEqual(uncut)
    for (let cut = 1; cut < bytes.length; cut++) {
      const halves = read([bytes.subarray(0, cut), bytes.subarray(cut)])
      if (!Bun.deepEquals(halves, uncut)) expect({ cut, ...halves }).toEqual({ cut, ...uncut })
    }
  }
}

const withCrLf = (text: string): Uint8Array => new TextEncoder().encode(text.replaceAll(/\r?\n/g, '\r\n'))

function expectReading(reading: Reading, expected: Expectation): void {
  expect(toExpected(reading)).toMatchObject(expected)
  if (expected.error) return
  expect(reading.failure).toBeUndefined()
  expect(reading.reply.choices[0]?.toolCalls ?? []).toHaveLength(expected.tool_calls?.length ?? 0)
  expect(reading.reply.choices[0]?.reasoning ?? '').toBe(expected.reasoning ?? '')
  expect(expected.usage).toBeDefined()
}

function checkEmbeddings(provider: Provider, fixtures: ProviderFixtures, file: string): void {
  const { model = 'MODEL', ...expected } = expectationOf(fixtures, file)
  const replied = provider.embeddings?.reply(
    fixtures.json(file),
    fixtures.callOf({ model, input: 'hello' }, model),
  )
  if (replied?.kind !== 'reply') throw new Error('the recorded vectors cannot be read')
  const usage = replied.usage ? flatUsage(replied.usage) : 'estimated'
  expect({ vectors: replied.reply.vectors, usage }).toMatchObject(expected)
}

function checkModels(provider: Provider, fixtures: ProviderFixtures, file: string): void {
  const replied = provider.listModels?.reply(fixtures.json(file), fixtures.callOf(undefined, ''))
  expect(replied).toMatchObject({ kind: 'reply', reply: expectationOf(fixtures, file).models })
}

async function checkBalance(
  provider: Provider,
  fixtures: ProviderFixtures,
  expected: Expectation,
): Promise<void> {
  const responses = [...(expected.responses ?? [])]
  const sent: UpstreamRequest[] = []
  const send = (request: UpstreamRequest) => {
    sent.push(request)
    return Promise.resolve({ status: 200, json: fixtures.json(responses.shift() ?? '') })
  }
  const balance = await provider.balance?.(fixtures.channel, { nowSeconds: 1_751_300_000, send })
  expect(balance).toMatchObject({ currency: expected.currency })
  expect(balance?.amount).toBeCloseTo(expected.amount ?? Number.NaN)
  expect(responses).toEqual([])
  for (const request of sent) expectSecretsKept(request, provider, fixtures)
}

/** For providers that accept no images. */
const PLAIN_MESSAGES = [{ role: 'user' as const, content: 'hello' }]

function checkSecrets(provider: Provider, fixtures: ProviderFixtures): void {
  const { chat, native, embeddings, listModels } = provider
  const { callOf } = fixtures
  const [[, { model = 'MODEL' }] = ['', {}]] = fixtures.expectations
  const expectKept = (request: UpstreamRequest) => expectSecretsKept(request, provider, fixtures)
  for (const asStream of [false, true]) {
    if (chat) expectKept(chat.request(callOf({ model, messages: PLAIN_MESSAGES }, model, asStream)))
    for (const adapter of Object.values(native ?? {}))
      expectKept(adapter.request(callOf({ model }, model, asStream)))
  }
  if (embeddings) expectKept(embeddings.request(callOf({ model, input: 'hello' }, model)))
  if (listModels) expectKept(listModels.request(callOf(undefined, '')))
}

/**
 * The key and its credential appear in headers only, or sign the request. The exception is Baidu's first API, which
 * reads its token from the URL only: docs/architecture/decisions, 9.
 */
const TOKEN_IN_URL: readonly number[] = [15]

function expectSecretsKept(
  { url, body }: UpstreamRequest,
  { type }: Provider,
  fixtures: ProviderFixtures,
): void {
  const { secrets, token } = fixtures
  const isTokenShown = TOKEN_IN_URL.includes(type)
  for (const secret of token && !isTokenShown ? [...secrets, token] : secrets) {
    expect(url).not.toContain(secret)
    expect(typeof body === 'string' ? body : '').not.toContain(secret)
  }
  expect(() => new URL(url)).not.toThrow()
}

function checkRequest(provider: Provider, fixtures: ProviderFixtures): void {
  const recorded = fixtures.json('request.from-openai.json')
  const model = asString(asObject(recorded).model) ?? 'MODEL'
  const { body } = chatOf(provider).request(fixtures.callOf(parsedChat(false), model))
  expect(JSON.parse(asString(body) ?? 'null')).toEqual(recorded)
}

const parsedChat = (asStream: boolean): ChatBody =>
  dialect.chat.parse({ ...asObject(canonical), stream: asStream }).body
