import { describe, expect, test } from 'bun:test'
import { loadProviders } from '#server/compose/modules.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { findPlace } from './place.ts'
import { PROVIDERS } from './provider-types.ts'

const variables: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'of-openai',
  COHERE_API_KEY: 'of-cohere',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  CLOUDFLARE_ACCOUNT_ID: 'account',
  HOSTED_VLLM_API_BASE: 'http://gpu:8000/v1/',
}
const place = (params: Readonly<Record<string, unknown>>, info: Readonly<Record<string, unknown>> = {}) =>
  findPlace(params, { info, variable: name => variables[name] })

describe('a part before the model that says how LiteLLM calls it', () => {
  test.each([
    [
      'bedrock/converse/us.anthropic.claude-sonnet-4-5',
      'us.anthropic.claude-sonnet-4-5',
      'id|secret|us-west-2',
    ],
    ['bedrock/async_invoke/anthropic.claude-x', 'anthropic.claude-x', 'id|secret|us-west-2'],
    ['bedrock/eu-central-1/anthropic.claude-x', 'anthropic.claude-x', 'id|secret|eu-central-1'],
    ['bedrock/invoke/us-gov-west-1/anthropic.claude-x', 'anthropic.claude-x', 'id|secret|us-gov-west-1'],
    [
      'bedrock/converse/arn:aws:bedrock:us-east-1:1:x/y',
      'arn:aws:bedrock:us-east-1:1:x/y',
      'id|secret|us-west-2',
    ],
    ['openai/responses/gpt-5', 'gpt-5', 'of-openai'],
    ['openai/gpt-5', 'gpt-5', 'of-openai'],
    ['openai/org/model', 'org/model', 'of-openai'],
  ])('%s is the model %s', (model, name, key) => {
    expect(place({ model })).toMatchObject({ model: name, key, lacks: [] })
  })

  test.each(['o_series', 'gpt5_series', 'responses'])('azure/%s/name is the deployment name', part => {
    const given = { model: `azure/${part}/name`, api_base: 'https://a.example/openai/v1', api_key: 'k' }
    expect(place(given)).toMatchObject({ type: 3, model: 'name', baseUrl: 'https://a.example' })
  })
})

describe('an address', () => {
  test.each(['', '/', '/anthropic', '/anthropic/v1/messages', '/models'])(
    'Claude at Azure AI is called in the format of Anthropic below the address%s',
    path => {
      const base = 'https://a.services.ai.azure.com'
      expect(place({ model: 'azure_ai/claude-x', api_base: base + path, api_key: 'k' })).toMatchObject({
        type: 14,
        model: 'claude-x',
        baseUrl: `${base}/anthropic`,
        lacks: [],
      })
    },
  )

  test.each([
    ['openai/m', 'https://a.example/v1', '', [1, 'https://a.example']],
    ['openai/m', 'https://a.example/v1/', '', [1, 'https://a.example']],
    ['openai/m', 'https://a.example/api/v3', '', [8, 'https://a.example/api/v3/chat/completions']],
    ['openai/m', 'https://a.example', 'chat', [8, 'https://a.example/chat/completions']],
    ['openai/m', 'https://a.example/openai', 'embedding', [8, 'https://a.example/openai/embeddings']],
    ['openai/text-embedding-3-small', 'https://a.example/v4', '', [8, 'https://a.example/v4/embeddings']],
    ['openai/m', 'https://a.example/v4', 'image_generation', [8, 'https://a.example/v4/images/generations']],
    ['openai/m', 'https://a.example/v4', 'audio_speech', [8, 'https://a.example/v4/audio/speech']],
    ['openai/m', 'https://a.example/chat/completions', '', [8, 'https://a.example/chat/completions']],
    ['volcengine/m', 'https://a.example/api/v3', '', [45, 'https://a.example']],
    ['volcengine/m', 'https://a.example/v1', '', [1, 'https://a.example']],
    ['zai/m', 'https://a.example/other', '', [8, 'https://a.example/other/chat/completions']],
    ['zai/m', '', '', [26, 'https://api.z.ai']],
    ['dashscope/m', '', '', [17, 'https://dashscope.aliyuncs.com']],
    ['perplexity/m', 'https://a.example/x', '', [27, 'https://a.example/x']],
    ['deepinfra/m', '', '', [8, 'https://api.deepinfra.com/v1/openai/chat/completions']],
    ['groq/m', '', '', [1, 'https://api.groq.com/openai']],
    ['nebius/m', '', '', [1, 'https://api.studio.nebius.ai']],
    ['github/m', '', '', [8, 'https://models.inference.ai.azure.com/chat/completions']],
    ['anthropic/m', 'https://a.example/v1/messages', '', [14, 'https://a.example']],
    ['gemini/m', 'https://a.example/v1beta', '', [24, 'https://a.example']],
    ['cohere/m', 'https://a.example/v2/chat', '', [34, 'https://a.example']],
    ['ollama/m', 'http://o:11434/api/generate', '', [4, 'http://o:11434']],
    ['hosted_vllm/m', '', '', [1, 'http://gpu:8000']],
    ['m', 'https://api.groq.com/openai/v1', '', [1, 'https://api.groq.com/openai']],
    [
      'cloudflare/m',
      'https://api.cloudflare.com/client/v4/accounts/abc/ai/run',
      '',
      [39, 'https://api.cloudflare.com'],
    ],
  ] as const)('%s at "%s" for "%s" is a channel of %p', (model, api_base, mode, [type, baseUrl]) => {
    expect(place({ model, api_base }, { mode })).toMatchObject({ type, baseUrl })
  })

  test.each([
    ['https://api.cloudflare.com/client/v4/accounts/abc/ai/run', 'abc'],
    ['', 'account'],
  ])('names the account of Cloudflare: %s', (api_base, other) => {
    expect(place({ model: 'cloudflare/m', api_base })).toMatchObject({ other })
  })
})

test.each([
  [{ model: 'openai/m' }, 'of-openai', 0],
  [{ model: 'openai/m', api_key: 'own' }, 'own', 0],
  [{ model: 'openai/m', api_key: 'os.environ/NOT_SET' }, 'of-openai', 0],
  [{ model: 'command-r', custom_llm_provider: 'cohere' }, 'of-cohere', 0],
  [{ model: 'groq/m' }, '', 1],
  [{ model: 'groq/m', api_base: 'https://my-proxy.example/v1' }, '', 0],
  [{ model: 'ollama/m' }, '', 0],
  [{ model: 'vertex_ai/gemini-2.5-pro', vertex_credentials: '/run/key.json' }, '/run/key.json', 1],
  [{ model: 'vertex_ai/gemini-2.5-pro', vertex_credentials: { a: 1 } }, '{"a":1}', 0],
  [{ model: 'bedrock/amazon.nova-pro-v1:0' }, 'id|secret|us-west-2', 1],
])('%p has the key "%s" and %d things to ask about', (params, key, count) => {
  const found = place(params)
  expect(found).toMatchObject({ key })
  expect('lacks' in found ? found.lacks : []).toHaveLength(count)
})

test('every provider has a channel type here, an address or a reason', async () => {
  const registry = createRegistry(await loadProviders())
  expect(PROVIDERS.size).toBeGreaterThan(180)
  for (const [provider, facts] of PROVIDERS) {
    const found = place({
      model: `${provider}/m`,
      api_key: 'k',
      api_base: facts.base || 'https://a.example/v1',
    })
    if ('skip' in found) expect(found.skip).toContain(`no channels of the provider ${provider}, which`)
    else expect([provider, registry.byType(found.type)?.chat !== undefined]).toEqual([provider, true])
  }
})
