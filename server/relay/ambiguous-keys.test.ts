import { afterEach, expect, test } from 'bun:test'
import { TestRelay } from '../testing/test-relay.ts'

const messages = [{ role: 'user', content: 'hi' }]
const CHAT = { model: 'lab', messages }
const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const GENERATE = { contents: [{ parts: [{ text: 'hi' }] }] }

let relay: TestRelay
afterEach(() => relay.close())

test.each([
  ['/v1/chat/completions', { ...CHAT, Model: 'dear' }, 'Model'],
  ['/v1/chat/completions', { ...CHAT, stream: false, STREAM: true }, 'STREAM'],
  ['/v1/chat/completions', { ...CHAT, Max_Tokens: 100_000 }, 'Max_Tokens'],
  ['/v1/chat/completions', { ...CHAT, max_to\u212aens: 9 }, 'max_to\u212aens'],
  ['/v1/chat/completions', { ...CHAT, stream_options: { Include_Usage: false } }, 'Include_Usage'],
  ['/v1/chat/completions', { ...CHAT, messages: [{ ...messages[0], Content: 'long' }] }, 'Content'],
  ['/v1/messages', { ...CHAT, max_tokens: 1, Max_tokens: 9 }, 'Max_tokens'],
  [
    '/v1/messages',
    { ...CHAT, max_tokens: 1, thinking: { type: 'enabled', Budget_Tokens: 9 } },
    'Budget_Tokens',
  ],
  ['/v1/responses', { model: 'lab', input: 'hi', MODEL: 'dear' }, 'MODEL'],
  ['/v1/responses', { model: 'lab', input: 5, MODEL: 'dear' }, 'input'],
  ['/v1/messages', { ...CHAT, messages: 5, max_tokens: 1, Max_tokens: 9 }, 'messages'],
  [
    '/v1beta/models/lab:generateContent',
    { contents: 5, generationConfig: { maxOutputTokens: 1, max_output_tokens: 9 } },
    'max_output_tokens',
  ],
  [
    '/v1beta/models/lab:generateContent',
    { contents: 5, generationConfig: { maxOutputTokens: 1, MaxOutputTokens: 9 } },
    'contents',
  ],
  ['/v1beta/models/lab:generateContent', { ...GENERATE, Model: 'dear' }, 'Model'],
  [
    '/v1beta/models/lab:generateContent',
    { ...GENERATE, generation_config: {}, generationConfig: {} },
    'generationConfig',
  ],
  ['/v1/embeddings', { model: 'lab', input: 'hi', Input: ['a', 'b'] }, 'Input'],
  ['/v1/images/generations', { model: 'lab', prompt: 'p', N: 10 }, 'N'],
  ['/v1/rerank', { model: 'lab', query: 'q', documents: ['a'], Documents: ['a', 'b'] }, 'Documents'],
])('%s refuses %j by name before a provider is called', async (path, body, name) => {
  let calls = 0
  relay = await TestRelay.open({
    send: () => {
      calls += 1
      return Promise.reject(new Error('no provider is to be called'))
    },
  })
  await relay.addChannel({
    type: path === '/v1/messages' ? ANTHROPIC : path.startsWith('/v1beta') ? GEMINI : OPENAI,
  })
  const response = await relay.request(path, await relay.addToken(), body)
  expect([response.status, calls]).toEqual([400, 0])
  expect(await response.text()).toContain(name)
})

test('refuses a doubled key by name, and passes keys of the client’s own content', async () => {
  relay = await TestRelay.open()
  await relay.addChannel()
  const key = await relay.addToken()
  const doubled = await relay.request(
    '/v1/chat/completions',
    key,
    '{"model":"lab","messages":[],"model":"dear"}',
  )
  expect([doubled.status, await doubled.text()]).toEqual([400, expect.stringContaining('model')])
  const parameters = { type: 'object', properties: { Name: {}, name: {}, NAME: {} } }
  const tools = [{ type: 'function', function: { name: 'f', parameters } }]
  const response = await relay.request('/v1/chat/completions', key, {
    ...CHAT,
    tools,
    metadata: { a: '1', A: '2' },
  })
  expect(response.status).toBe(200)
})
