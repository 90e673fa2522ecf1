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
      'id|secret|us-east-1',
    ],
    [
      'bedrock/arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-x',
      'arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-x',
      'id|secret|eu-west-1',
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
    ['mistral/m', 'https://a.example', '', [42, 'https://a.example']],
    ['huggingface/m', 'https://a.example', '', [1, 'https://a.example']],
    ['snowflake/m', 'https://a.example', '', [1, 'https://a.example/api/v2/cortex']],
    [
      'anthropic/m',
      'https://a.example/v1/account/gateway/anthropic',
      '',
      [14, 'https://a.example/v1/account/gateway/anthropic'],
    ],
    ['anthropic/m', 'https://a.example/api/v3', '', [14, 'https://a.example/api/v3']],
    [
      'gemini/m',
      'https://a.example/v1/account/google-ai-studio/v1',
      '',
      [24, 'https://a.example/v1/account/google-ai-studio'],
    ],
    ['azure/m', 'https://a.example/v1', '', [3, 'https://a.example/v1']],
    ['azure_ai/m', 'https://a.services.ai.azure.com/models', '', [3, 'https://a.services.ai.azure.com']],
    ['azure_ai/gpt-4o', 'https://a.openai.azure.com', '', [3, 'https://a.openai.azure.com']],
    [
      'azure_ai/m',
      'https://a.eastus.models.ai.azure.com',
      '',
      [8, 'https://a.eastus.models.ai.azure.com/chat/completions'],
    ],
    ['voyage/rerank-2', '', '', [8, 'https://api.voyageai.com/v1/rerank']],
    ['infinity/m', 'http://gpu:7997/v1', 'rerank', [8, 'http://gpu:7997/v1/rerank']],
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
    ['cloudflare/m', 'https://api.cloudflare.com/client/v4/accounts/abc/ai/run', 'abc'],
    ['cloudflare/m', '', 'account'],
    ['gemini/m', 'https://a.example/v1alpha', 'v1alpha'],
    ['gemini/m', '', ''],
    ['azure/m', 'https://a.openai.azure.com', '2025-02-01-preview'],
    ['azure/m', 'https://a.openai.azure.com/openai/v1/', 'v1'],
    ['azure/m', 'https://a.openai.azure.com/openai/deployments/m?api-version=2024-10-21', '2024-10-21'],
    ['azure_ai/m', 'https://a.services.ai.azure.com/models', 'v1'],
  ])('%s at "%s" is of the account or version "%s"', (model, api_base, other) => {
    expect(place({ model, api_base })).toMatchObject({ other })
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
  [{ model: 'gemini/m', api_base: 'https://my-proxy.example', api_key: 'own' }, 'own', 1],
  [{ model: 'bedrock/amazon.nova-pro-v1:0' }, 'id|secret|us-west-2', 1],
])('%p has the key "%s" and %d things to ask about', (params, key, count) => {
  const found = place(params)
  expect(found).toMatchObject({ key })
  expect('lacks' in found ? found.lacks : []).toHaveLength(count)
})

test.each([
  ['fireworks_ai/deepseek-v3', 'accounts/fireworks/models/deepseek-v3'],
  ['fireworks_ai/accounts/me/deployedModels/x', 'accounts/me/deployedModels/x'],
  ['huggingface/together/deepseek-ai/DeepSeek-R1', 'deepseek-ai/DeepSeek-R1:together'],
  ['huggingface/meta-llama/Llama-3', 'meta-llama/Llama-3'],
])('%s is called by the name %s', (model, name) => {
  expect(place({ model, api_key: 'k' })).toMatchObject({ model: name })
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
