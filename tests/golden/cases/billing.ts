import type { Json } from '../normalise.ts'
import type { GoldenCall, GoldenCase } from '../recorder.ts'
import { type ChatQuery, chatCall } from './chat-calls.ts'

const once =
  (call: GoldenCall): GoldenCase =>
  async client => {
    await client.call(call)
  }

const chat = (query: ChatQuery): GoldenCall => chatCall('openai', query)
const message = (query: ChatQuery): GoldenCall => chatCall('anthropic', query)
const SEARCH = { tools: [{ type: 'web_search' }, { type: 'file_search', vector_store_ids: ['vs_1'] }] }
const CACHED = [
  { type: 'text', text: 'word '.repeat(2_000), cache_control: { type: 'ephemeral', ttl: '1h' } },
]
const CLAUDE = 'claude-sonnet-4-5-20250929'
const RESPONSE = (fields: Readonly<Record<string, Json>>): GoldenCall =>
  chatCall('responses', { model: 'gpt-5.4', fields })

/** What decides the price of a request: groups, tiers, caches, tools, regions, and channels that fail. */
export const billing: Readonly<Record<string, GoldenCase>> = {
  'the ratio of a group': once({ ...chat({ model: 'gpt-4o' }), token: 'vip' }),
  'a token with a limit': once({ ...chat({ model: 'gpt-4o' }), token: 'limited' }),
  'a limit of the answer': once(chat({ model: 'gpt-4o', fields: { max_tokens: 2 } })),
  'a dearer service tier': once(chat({ model: 'gpt-5.5', fields: { service_tier: 'priority' } })),
  'a forbidden service tier': once({
    ...chat({ model: 'gpt-5.5', fields: { service_tier: 'priority' } }),
    token: 'no tiers',
  }),
  'a service tier left out': once({
    ...chat({ model: 'gpt-5.5', fields: { service_tier: 'priority' } }),
    token: 'fewer tools',
  }),
  'cache reads of OpenAI': once(
    chat({ model: 'gpt-4o', text: `${'word '.repeat(500)} [lab: cached-300+tokens-3]` }),
  ),
  'cache reads streamed': once(
    chat({ model: 'gpt-4o', isStream: true, text: `${'word '.repeat(500)} [lab: cached-300+tokens-3]` }),
  ),
  'cache writes and reads of Anthropic': once(
    message({ model: CLAUDE, text: `${'word '.repeat(500)} [lab: cached-300+cache-write-200+tokens-3]` }),
  ),
  'cache writes of both kinds, searches and a region': once(
    message({
      model: 'claude-opus-4-8',
      fields: {
        system: CACHED,
        inference_geo: 'us',
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
      },
    }),
  ),
  'searches and files of a hosted tool': once(RESPONSE(SEARCH)),
  'forbidden hosted tools': once({ ...RESPONSE(SEARCH), token: 'no tiers' }),
  'hosted tools left out': once({ ...RESPONSE(SEARCH), token: 'fewer tools' }),
  'searches of Gemini': once(
    chatCall('gemini', { model: 'gemini-3-flash-preview', fields: { tools: [{ googleSearch: {} }] } }),
  ),
  'reasoning tokens': once(chat({ model: 'o3-mini', text: 'think [lab: reasoning-8+tokens-3]' })),
  'reasoning tokens streamed': once(
    chat({ model: 'o3-mini', isStream: true, text: 'think [lab: reasoning-8+tokens-3]' }),
  ),
  'the region of a channel': once(chat({ model: 'gpt-5.6-sol' })),
  'a price list of the administrator': once(chat({ model: 'regional' })),
  'a purchase price': once(chat({ model: 'bought' })),
  'usage that the provider omits': once(chat({ model: 'gpt-4o', text: 'hello [lab: no-usage+tokens-3]' })),
  'usage that a stream omits': once(
    chat({ model: 'gpt-4o', isStream: true, text: 'hello [lab: no-usage+tokens-3]' }),
  ),
  'a response without output': once(chat({ model: 'gpt-4o', text: 'hello [lab: filter]' })),
  'a stream that breaks': once(
    message({ model: CLAUDE, isStream: true, text: 'hello [lab: no-finish-3+tokens-6]' }),
  ),
  'a second channel after the first failed': once(chat({ model: 'first-fails' })),
  'a second channel of a stream': once(chat({ model: 'first-fails', isStream: true })),
  'a picture in the prompt': once({
    path: '/v1/chat/completions',
    body: {
      model: 'gpt-4o',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is it [lab: tokens-3]' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,YSBwaWN0dXJl' } },
          ],
        },
      ],
    },
  }),
}
