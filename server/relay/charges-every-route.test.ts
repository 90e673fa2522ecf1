import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { TestRelay } from '../testing/test-relay.ts'

const PROVIDERS = { openai: 1, anthropic: 14, gemini: 24 } as const
const ALL = ['openai', 'anthropic', 'gemini'] as const
const OPENAI = ['openai'] as const
/** The usage that the provider reports: correct, none, zeros. */
const USAGE_REPORTS = ['tokens-5', 'no-usage', 'zero-usage'] as const

const chat = { model: 'lab', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }
const gemini = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const createForm = (file: string, type: string, prompt?: string) => () => {
  const form = new FormData()
  form.append('model', 'lab')
  if (prompt !== undefined) form.append('prompt', prompt)
  form.append(file, new Blob(['12345678'], { type }), 'file')
  return form
}

const VERTEX = '/v1/projects/p/locations/global/publishers'

const ROUTES = [
  { path: '/v1/chat/completions', body: chat, providers: ALL },
  { path: '/v1/chat/completions', body: { ...chat, stream: true }, providers: ALL },
  { path: '/v1/messages', body: chat, providers: ALL },
  { path: '/v1/messages', body: { ...chat, stream: true }, providers: ALL },
  { path: '/v1/responses', body: { model: 'lab', input: 'hello' }, providers: ALL },
  { path: '/v1/responses', body: { model: 'lab', input: 'hello', stream: true }, providers: ALL },
  { path: '/v1/completions', body: { model: 'lab', prompt: 'hello' }, providers: ALL },
  { path: '/v1/completions', body: { model: 'lab', prompt: 'hello', stream: true }, providers: ALL },
  { path: '/v1beta/models/lab:generateContent', body: gemini, providers: ALL },
  { path: '/v1beta/models/lab:streamGenerateContent?alt=sse', body: gemini, providers: ALL },
  { path: '/v1/embeddings', body: { model: 'lab', input: 'hello' }, providers: ['openai', 'gemini'] },
  { path: '/v1/images/generations', body: { model: 'lab', prompt: 'a cat' }, providers: OPENAI },
  { path: '/v1/images/edits', body: createForm('image', 'image/png', 'a cat'), providers: OPENAI },
  { path: '/v1/images/variations', body: createForm('image', 'image/png'), providers: OPENAI },
  { path: '/v1/audio/speech', body: { model: 'lab', input: 'hello', voice: 'alloy' }, providers: OPENAI },
  { path: '/v1/audio/transcriptions', body: createForm('file', 'audio/wav'), providers: OPENAI },
  { path: '/v1/audio/translations', body: createForm('file', 'audio/wav'), providers: OPENAI },
  { path: '/v1/moderations', body: { model: 'lab', input: 'hello' }, providers: OPENAI },
  { path: '/openai/deployments/lab/chat/completions?api-version=1', body: chat, providers: OPENAI },
  { path: '/openai/deployments/lab/embeddings', body: { input: 'hello' }, providers: OPENAI },
  { path: '/openai/deployments/lab/images/generations', body: { prompt: 'a cat' }, providers: OPENAI },
  {
    path: '/openai/deployments/lab/audio/speech',
    body: { input: 'hello', voice: 'alloy' },
    providers: OPENAI,
  },
  { path: '/openai/v1/responses', body: { model: 'lab', input: 'hello' }, providers: OPENAI },
  { path: '/v1beta/openai/chat/completions', body: chat, providers: OPENAI },
  { path: '/v1alpha/models/lab:generateContent', body: gemini, providers: ['gemini'] },
  { path: `${VERTEX}/google/models/lab:generateContent`, body: gemini, providers: ALL },
  {
    path: `${VERTEX}/anthropic/models/lab:streamRawPredict`,
    body: { ...chat, model: undefined, anthropic_version: 'vertex-2023-10-16', stream: true },
    providers: ALL,
  },
] as const

const cases = ROUTES.flatMap(({ path, body, providers }) =>
  providers.flatMap(provider =>
    USAGE_REPORTS.map(usageReport => {
      const name = `${path}${'stream' in body ? ' streamed' : ''}, ${provider}, ${usageReport}`
      return { name, path, body, provider, usageReport }
    }),
  ),
)

let opened: TestRelay | undefined
afterEach(() => opened?.close())

test.each(cases)('charges a response exactly once: $name', async ({ path, body, provider, usageReport }) => {
  const relay = await TestRelay.open()
  opened = relay
  await relay.addChannel({ type: PROVIDERS[provider], base_url: `http://lab.test/lab/fault/${usageReport}` })
  const key = await relay.addToken()
  const response = await relay.request(path, key, typeof body === 'function' ? body() : body)
  await response.text()
  expect(response.status).toBe(200)
  const logs = await relay.db.selectFrom('logs').select(['type', 'quota']).execute()
  const charged = logs[0]?.quota ?? 0
  expect(charged).toBeGreaterThan(0)
  expect(logs).toEqual([{ type: 2, quota: charged }])
  const user = await relay.db.selectFrom('users').select(['used_quota', 'held_quota']).executeTakeFirst()
  expect(user).toEqual({ used_quota: charged, held_quota: 0 })
  expect((await auditLedger(relay.db)).drift).toBe(0)
})
