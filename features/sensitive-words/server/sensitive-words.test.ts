import { afterEach, describe, expect, test } from 'bun:test'
import { auditLedger } from '#server/ledger/audit.ts'
import { isObject, parseJson } from '#server/provider-kit/json.ts'
import type { ActiveRequest } from '#server/relay/types.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { createWordInspector, findSensitiveWord } from './sensitive-words.ts'
import { createWordSearch } from './word-search.ts'

let opened: TestRelay | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

const TASK_MODELS = 'mj_imagine,mj_modal,mj_shorten,suno_music,suno_lyrics'

async function openRelay(words: readonly string[]): Promise<TestRelay> {
  opened = await TestRelay.open({ options: { CheckSensitiveEnabled: true, SensitiveWords: words } })
  await opened.addChannel()
  await opened.addChannel({ type: 5, models: TASK_MODELS })
  await opened.addChannel({ type: 36, models: TASK_MODELS })
  return opened
}

async function ask(path: string, body: object, words: readonly string[] = ['Bad Word']) {
  const relay = await openRelay(words)
  const isForm = body instanceof FormData
  const key = await relay.addToken()
  const response = await relay.request(path, key, isForm ? body : { model: 'lab', ...body })
  const json = parseJson(await response.text())
  return { status: response.status, json: isObject(json) ? json : {} }
}

const CHAT = '/v1/chat/completions'
const TEXT = 'this is a BAD word, is it not'
const prompt = (content: unknown) => ({ messages: [{ role: 'user', content }] })

const formOf = (fields: Readonly<Record<string, string | Blob>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'lab', ...fields })) form.append(name, value)
  return form
}

const png = new File([new Uint8Array(8)], 'a.png', { type: 'image/png' })

const wav = new File([new Uint8Array(64)], 'a.wav', { type: 'audio/wav' })

const GEMINI = '/v1beta/models/lab'
const geminiContent = { role: 'user', parts: [{ text: TEXT }] }

const anthropic = (content: unknown, more: object = {}) => ({ max_tokens: 9, ...prompt(content), ...more })

/** Every way for a client's text to reach a provider. */
const OPENAI_BODIES: readonly (readonly [what: string, path: string, body: object])[] = [
  ['a chat message', CHAT, prompt(TEXT)],
  [
    'a part of a message',
    CHAT,
    prompt([
      { type: 'text', text: 'fine' },
      { type: 'text', text: TEXT },
    ]),
  ],
  [
    'a system message of a stream',
    CHAT,
    { stream: true, messages: [{ role: 'system', content: TEXT }, ...prompt('fine').messages] },
  ],
  [
    'the result of a tool',
    CHAT,
    {
      messages: [
        ...prompt('a').messages,
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: TEXT },
      ],
    },
  ],
  [
    'the description of a tool',
    CHAT,
    { ...prompt('a'), tools: [{ type: 'function', function: { name: 'f', description: TEXT } }] },
  ],
  ['a completion', '/v1/completions', { prompt: TEXT }],
  ['one of several prompts', '/v1/completions', { prompt: ['fine', TEXT] }],
  ['the text after a completion', '/v1/completions', { prompt: 'fine', suffix: TEXT }],
  ['embeddings', '/v1/embeddings', { input: TEXT }],
  ['one of several embeddings', '/v1/embeddings', { input: ['fine', TEXT] }],
  ['moderation', '/v1/moderations', { input: TEXT }],
  ['a part of moderation', '/v1/moderations', { input: [{ type: 'text', text: TEXT }] }],
  ['the query of a rerank', '/v1/rerank', { query: TEXT, documents: ['a'] }],
  ['a document of a rerank', '/v1/rerank', { query: 'a', documents: ['b', { note: { body: TEXT } }] }],
  ['an image prompt', '/v1/images/generations', { prompt: TEXT }],
  ['an image edit', '/v1/images/edits', formOf({ prompt: TEXT, image: png })],
  ['speech', '/v1/audio/speech', { input: TEXT, voice: 'alloy' }],
  ['the style of speech', '/v1/audio/speech', { input: 'a', voice: 'alloy', instructions: TEXT }],
  ['the hint of a transcription', '/v1/audio/transcriptions', formOf({ prompt: TEXT, file: wav })],
  ['the input of a response', '/v1/responses', { input: TEXT }],
  [
    'an item of a response',
    '/v1/responses',
    { input: [{ role: 'user', content: [{ type: 'input_text', text: TEXT }] }] },
  ],
  ['the instructions of a response', '/v1/responses', { input: 'a', instructions: TEXT }],
]

const OTHER_BODIES: readonly (readonly [what: string, path: string, body: object, error: object])[] = [
  ['a message of Anthropic', '/v1/messages', anthropic(TEXT), { type: 'error' }],
  ['a system text of Anthropic', '/v1/messages', anthropic('a', { system: TEXT }), { type: 'error' }],
  [
    'a document of Anthropic',
    '/v1/messages',
    anthropic([
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: TEXT } },
      { type: 'text', text: 'a' },
    ]),
    { type: 'error' },
  ],
  ['a token count of Anthropic', '/v1/messages/count_tokens', anthropic(TEXT), { type: 'error' }],
  [
    'contents of Gemini',
    `${GEMINI}:generateContent`,
    { contents: [geminiContent] },
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ],
  [
    'a system instruction of Gemini',
    `${GEMINI}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: 'a' }] }], system_instruction: geminiContent },
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ],
  [
    'embeddings of Gemini',
    `${GEMINI}:batchEmbedContents`,
    { requests: [{ model: 'models/lab', content: geminiContent }] },
    { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  ],
  ['a drawing', '/mj/submit/imagine', { prompt: TEXT }, { type: 'upstream_error', code: 4 }],
  [
    'a prompt to shorten',
    '/mj-fast/mj/submit/shorten',
    { prompt: TEXT },
    { type: 'upstream_error', code: 4 },
  ],
  ['a song', '/suno/submit/music', { gpt_description_prompt: TEXT }, { code: 'sensitive_words_detected' }],
  ['the title of a song', '/suno/submit/music', { prompt: 'a', title: TEXT }, { data: null }],
  ['the style of a song', '/suno/submit/music', { prompt: 'a', tags: TEXT }, { data: null }],
  ['lyrics', '/suno/submit/lyrics', { prompt: TEXT }, { code: 'sensitive_words_detected' }],
]

/** Nothing was charged or held, and no channel was called or blamed. */
async function expectUntouched(): Promise<void> {
  if (!opened) throw new Error('no relay was opened')
  const { db } = opened
  expect(await db.selectFrom('holds').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('logs').select('type').where('quota', '>', 0).execute()).toEqual([])
  const channels = await db.selectFrom('channels').select(['status', 'used_quota']).execute()
  expect(channels).toEqual(channels.map(() => ({ status: 1, used_quota: 0 })))
  expect(await auditLedger(db)).toMatchObject({ drift: 0, findings: [] })
}

describe('a listed word in any case', () => {
  test.each(OPENAI_BODIES)('is rejected in %s', async (_, path, body) => {
    const { status, json } = await ask(path, body)
    expect({ status, json }).toEqual({
      status: 400,
      json: { error: expect.objectContaining({ code: 'sensitive_words_detected' }) },
    })
    expect(JSON.stringify(json)).toContain('Bad Word')
    await expectUntouched()
  })

  test.each(OTHER_BODIES)('is rejected in %s', async (_, path, body, error) => {
    const { status, json } = await ask(path, body)
    expect({ status, json }).toMatchObject({ status: 400, json: error })
    expect(JSON.stringify(json)).toContain('Bad Word')
    await expectUntouched()
  })
})

test('accepts a prompt without a listed word', async () => {
  expect((await ask(CHAT, prompt('a good word'))).status).toBe(200)
})

test('ignores names and values that no user writes', async () => {
  const body = { ...prompt([{ type: 'text', text: 'a' }]), user: 'text', metadata: { user: 'user' } }
  expect((await ask(CHAT, body, ['text', 'user', 'lab', 'messages'])).status).toBe(200)
})

test('ignores the bytes of images and files', async () => {
  const url = 'data:image/png;base64,badwordbadword'
  const body = prompt([
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: 'a' },
  ])
  expect((await ask(CHAT, body, ['badword'])).status).toBe(200)
})

const CALLER = {
  userId: 1,
  username: 'caller',
  role: 1,
  group: 'default',
  walletUnits: 1,
  token: undefined,
  pinnedChannelId: undefined,
}

const DEPTH = 100_000

test('searches a deeply nested value without recursion', () => {
  const nested = `${'['.repeat(DEPTH)}"bad word"${']'.repeat(DEPTH)}`
  const words = createWordSearch(['bad word'])
  expect(findSensitiveWord({ content: JSON.parse(nested) }, words)).toBe('bad word')
})

test('finds a word anywhere in a long text, and others take their turns meanwhile', async () => {
  const options = {
    CheckSensitiveEnabled: true,
    CheckSensitiveOnPromptEnabled: true,
    SensitiveWords: ['bad word'],
  }
  const inspector = createWordInspector(() => options)
  const inspect = (clientBody: unknown) => inspector.inspectBody({ caller: CALLER, model: 'lab', clientBody })
  const filler = 'x'.repeat(300_000)
  for (let border = 262_130; border < 262_150; border += 4) {
    const content = `${filler.slice(0, border)}bad word${filler}`
    await expect(inspect({ messages: [{ content }] })).rejects.toThrow('bad word')
  }
  let turns = 0
  setImmediate(() => {
    turns += 1
  })
  await inspect({ messages: Array.from({ length: 20 }, () => ({ content: filler })) })
  expect(turns).toBe(1)
})

test('rejects an event of a conversation that has a word, and no other', () => {
  const inspector = createWordInspector(() => ({
    CheckSensitiveEnabled: true,
    CheckSensitiveOnPromptEnabled: true,
    SensitiveWords: ['bad word'],
  }))
  // Whose conversation it is does not matter.
  const request = {} as ActiveRequest
  const inspect = (instructions: string) =>
    inspector.inspectEvent({ type: 'session.update', session: { instructions } }, request)
  expect(() => inspect('a Bad Word')).toThrow('bad word')
  expect(() => inspect('a good word')).not.toThrow()
})
