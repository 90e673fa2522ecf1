import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type ConfigImporter, openConfigImporter } from '../../testing/litellm-config.ts'

/** Every model of a configuration answers, or is a question: none fails in silence. */

let importer: ConfigImporter
beforeEach(async () => {
  importer = await openConfigImporter()
})
afterEach(() => importer.close())

const importConfig = (text: string, variables?: Readonly<Record<string, string>>) =>
  importer.run({ files: { 'config.yaml': text }, variables })

const entry = (name: string, params: string) => `  - { model_name: ${name}, litellm_params: { ${params} } }`
const models = (...entries: readonly string[]) => ['model_list:', ...entries].join('\n')

interface Shape {
  readonly title: string
  readonly text: string
  readonly variables?: Readonly<Record<string, string>>
  readonly responding: readonly string[]
  readonly questions?: readonly string[]
}

const SHAPES: readonly Shape[] = [
  {
    title: 'a name alone, whose provider LiteLLM knows',
    text: models(entry('gpt-5-mini', 'model: gpt-5-mini'), entry('c', 'model: claude-sonnet-4-5')),
    variables: { OPENAI_API_KEY: 'k' },
    responding: ['gpt-5-mini'],
    questions: ['c'],
  },
  {
    title: 'several accounts for one name, and a provider that nobody knows',
    text: models(
      entry('gpt-4o', 'model: gpt-4o, api_key: a'),
      entry('gpt-4o', 'model: openai/gpt-4o, api_key: b'),
      entry('mistral-7b', 'model: mistralai/mistral-7b, api_key: c'),
    ),
    responding: ['gpt-4o', 'gpt-4o'],
    questions: ['mistral-7b'],
  },
  {
    title: 'deployments of Azure, with and without a key',
    text: models(
      entry(
        'gpt-4o',
        'model: azure/mine, api_base: "https://a.example/", api_key: k, api_version: 2024-10-21',
      ),
      entry('o3', 'model: azure/o_series/mine, api_base: "https://a.example", api_key: os.environ/AZURE_KEY'),
    ),
    responding: ['gpt-4o'],
    questions: ['o3'],
  },
  {
    title: 'models of the own machine under other names',
    text: models(
      entry('local', 'model: openai/any, api_base: "http://gpu:8000/v1", api_key: none'),
      entry('compose', 'model: hosted_vllm/any, api_base: "http://vllm:8000/v1", api_key: none'),
      entry('embedder', 'model: openai/bge-embed, api_base: "http://10.0.0.1/api/v3", api_key: k'),
    ),
    responding: ['compose', 'embedder', 'local'],
  },
  {
    title: 'an address of another company without a price',
    text: models(entry('fake', 'model: openai/fake, api_base: "https://far.example/", api_key: fake')),
    responding: [],
    questions: ['fake'],
  },
  {
    title: 'models with a price of their own at any address',
    text: models(
      entry(
        'a',
        'model: openai/x, api_base: "https://far.example/openai", api_key: k, input_cost_per_token: 0.000001',
      ),
      entry('b', 'model: deepinfra/x, api_key: k, input_cost_per_token: 0.000001'),
      entry('c', 'model: groq/x, api_key: k, input_cost_per_token: 0'),
      entry('d', 'model: zai/x, api_key: k, input_cost_per_token: 0'),
    ),
    responding: ['a', 'b', 'c', 'd'],
  },
  {
    title: 'embeddings at every address',
    text: models(
      entry('text-embedding-3-small', 'model: openai/text-embedding-3-small, api_key: k'),
      entry('e', 'model: openai/text-embedding-3-large, api_base: "https://far.example/v4", api_key: k'),
    ),
    responding: ['e', 'text-embedding-3-small'],
  },
  {
    title: 'modes that a provider does not have here',
    text: models(
      '  - { model_name: r, litellm_params: { model: anthropic/x, api_key: k, input_cost_per_token: 0 }, model_info: { mode: rerank } }',
      '  - { model_name: s, litellm_params: { model: mistral/x, api_key: k, input_cost_per_token: 0 }, model_info: { mode: audio_speech } }',
      '  - { model_name: e, litellm_params: { model: openai/x, api_key: k, input_cost_per_token: 0 }, model_info: { mode: embedding } }',
    ),
    responding: ['e'],
    questions: ['r', 's'],
  },
  {
    title: 'embeddings of a provider that has none here',
    text: models(entry('e', 'model: perplexity/pplx-embed-x, api_key: k, input_cost_per_token: 0')),
    responding: [],
    questions: ['e'],
  },
  {
    title: 'models of Bedrock by every way of calling them',
    text: models(
      entry('a', 'model: bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0'),
      entry('b', 'model: bedrock/us.amazon.nova-premier-v1:0, aws_region_name: us-east-1'),
    ),
    responding: [],
    questions: ['a', 'b'],
  },
  {
    title: 'names with a star',
    text: models(
      entry('"openai/*"', 'model: "openai/*", api_key: k'),
      entry('"bedrock/*"', 'model: "bedrock/*"'),
      entry('"*"', 'model: "groq/*", api_key: k'),
    ),
    responding: [],
    questions: ['*', 'bedrock/*', 'openai/*'],
  },
  {
    title: 'what is no model, or has an API of its own',
    text: models(
      entry('router', 'model: auto_router/adaptive_router'),
      entry('voice', 'model: elevenlabs/eleven_v3, api_key: k'),
      entry('picture', 'model: replicate/flux, api_key: k'),
      entry('nothing', 'api_key: k'),
      '  - { model_name: empty }',
    ),
    responding: [],
    questions: ['empty', 'nothing', 'picture', 'router', 'voice'],
  },
  {
    title: 'anchors, a shared credential, an alias and a variable of the file',
    text: `
x-defaults: &shared { litellm_credential_name: eu }
environment_variables: { KEY_OF_FILE: k }
${models(entry('gpt-4o', 'model: openai/gpt-4o, <<: *shared'), entry('m', 'model: mistral/mistral-small-latest, api_key: os.environ/KEY_OF_FILE'))}
credential_list: [{ credential_name: eu, credential_values: { api_key: k, api_base: "https://eu.example/v1" } }]
router_settings: { model_group_alias: { best: gpt-4o, hidden: { model: gpt-4o, hidden: true } } }
`,
    responding: ['gpt-4o', 'm'],
  },
  {
    title: 'settings that no channel has',
    text: models(
      entry('gpt-4o', 'model: gpt-4o, api_key: k, rpm: 3, timeout: 5'),
      '  - { model_name: gpt-4, litellm_params: { model: gpt-4, api_key: k }, tpm: 20000 }',
    ),
    responding: [],
    questions: ['gpt-4', 'gpt-4o'],
  },
]

test.each(SHAPES.map(shape => [shape.title, shape] as const))('%s', async (_, shape) => {
  const { responding, questions, report } = await importConfig(shape.text, shape.variables)
  expect({ responding, questions }).toEqual({
    responding: [...shape.responding],
    questions: [...(shape.questions ?? [])],
  })
  const channels = report.tables.get('channels')
  expect(channels?.read).toBe((channels?.brought ?? 0) + (channels?.skipped.count ?? 0))
})

test.each([
  [
    'model_list: [gpt-4o, {model_name: a}, 7]',
    'not brought: entries of model_list that are no objects: 1, 3',
  ],
  ['model_list: { gpt-4o: { model: openai/gpt-4o } }', 'not brought: model_list, which is no list'],
  ['{ model_list: [], general_settings: [master_key] }', 'not brought: general_settings, which is no object'],
  ['{ model_list: [], credential_list: text }', 'not brought: credential_list, which is no list'],
])('names what has another form than it should: %s', async (text, remark) => {
  const { report } = await importConfig(text)
  expect(report.remarks).toContain(remark)
})

test('a single name of a file is included like a list of one', async () => {
  const files = { 'config.yaml': 'include: more.yaml', 'more.yaml': models(entry('gpt-4o', 'model: gpt-4o')) }
  const { responding } = await importer.run({ files, variables: { OPENAI_API_KEY: 'k' } })
  expect(responding).toEqual(['gpt-4o'])
})

test('a channel that does not answer is a question with the reason', async () => {
  const base = 'api_base: "https://far.example/fault/status-500/v1"'
  const { questions, report } = await importConfig(
    models(
      entry('gpt-4o', `model: openai/gpt-4o, api_key: k, ${base}`),
      entry('o3', 'model: openai/o3, api_key: k'),
    ),
  )
  expect(questions).toEqual(['gpt-4o'])
  expect(report.tables.get('channels')?.questions.rows[0]?.reason).toContain('it did not respond: status 500')
  expect(report.remarks).toContain('1 of 2 channels responded')
})

test('shares of requests are those of the weights, else of the rates', async () => {
  await importConfig(
    models(
      entry('a', 'model: gpt-4o, api_key: k, weight: 3, rpm: 500'),
      entry('b', 'model: gpt-4o, api_key: k, rpm: 500'),
      entry('c', 'model: gpt-4o, api_key: k, tpm: 20000'),
    ),
  )
  const channels = await importer.db
    .selectFrom('channels')
    .select(['name', 'weight'])
    .orderBy('name')
    .execute()
  expect(channels.map(({ name, weight }) => [name, weight])).toEqual([
    ['a', 3],
    ['b', 500],
    ['c', 20_000],
  ])
})
