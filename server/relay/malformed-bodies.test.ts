import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { TestRelay } from '../testing/test-relay.ts'

const MALFORMED: readonly unknown[] = [null, 1e300, 'constructor', [], { type: 'constructor' }]
const IMAGE = 'data:image/png;base64,iVBORw0KGgo='
const parameters = { type: 'object', properties: { city: { type: 'string' } } }

const BODIES: Readonly<Record<string, unknown>> = {
  '/v1/chat/completions': {
    model: 'lab',
    messages: [
      {
        role: 'user',
        name: 'anna',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: IMAGE } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'sunny' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
    max_tokens: 5,
    n: 1,
    stream: false,
  },
  '/v1/messages': {
    model: 'lab',
    max_tokens: 5,
    system: [{ type: 'text', text: 's' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'i', content: [{ type: 'text', text: 'r' }] }],
      },
    ],
    tools: [{ name: 'f', input_schema: parameters }],
  },
  '/v1/responses': {
    model: 'lab',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'o' },
    ],
    tools: [{ type: 'function', name: 'f', parameters }],
  },
  '/v1beta/models/lab:generateContent': {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AA' } }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    ],
    generationConfig: { maxOutputTokens: 5, thinkingConfig: { thinkingBudget: 1 } },
  },
  '/v1/images/generations': { model: 'lab', prompt: 'p', n: 1, size: '512x512', quality: 'hd' },
  '/v1/embeddings': { model: 'lab', input: ['a'], dimensions: 3 },
  '/v1/rerank': { model: 'lab', query: 'q', documents: ['a', { text: 'b' }], top_n: 1 },
  '/v1/moderations': { model: 'lab', input: [{ type: 'text', text: 'a' }] },
}

/** Every variant of the body with `malformed` in the place of one value. */
function* corrupt(body: unknown, malformed: unknown): Generator<unknown> {
  yield malformed
  if (typeof body !== 'object' || body === null) return
  const isList = Array.isArray(body)
  for (const [name, entry] of Object.entries(body))
    for (const other of corrupt(entry, malformed))
      yield isList ? body.with(Number(name), other) : { ...body, [name]: other }
}

/** Four times as long as on an idle machine. */
const TIMEOUT_MS = 60_000

let relay: TestRelay | undefined
afterEach(async () => {
  await relay?.close()
  relay = undefined
})

test.each([
  ['OpenAI', 1],
  ['Anthropic', 14],
  ['Gemini', 24],
])(
  'responds without an internal error to every malformed body for %s',
  async (_, type) => {
    relay = await TestRelay.open({ wallet: 1_000_000_000_000 })
    await relay.addChannel({ type })
    const key = await relay.addToken()
    const failures: unknown[] = []
    for (const [path, body] of Object.entries(BODIES))
      for (const malformed of MALFORMED)
        for (const variant of corrupt(body, malformed)) {
          const text = await (await relay.request(path, key, variant)).text()
          if (text.includes('internal_error')) failures.push({ path, variant })
        }
    expect(failures).toEqual([])
    expect((await auditLedger(relay.db)).drift).toBe(0)
    expect(await relay.db.selectFrom('holds').selectAll().execute()).toEqual([])
  },
  TIMEOUT_MS,
)
