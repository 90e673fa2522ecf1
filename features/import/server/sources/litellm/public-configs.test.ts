import { afterEach, beforeEach, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { asArray, asObject } from '#server/provider-kit/json.ts'
import { type ConfigImporter, openConfigImporter } from '../../testing/litellm-config.ts'

/** Configurations as public installations of LiteLLM have them: each of their models answers, or is a question. */
const FOLDER = join(import.meta.dir, '../../fixtures/litellm-configs')

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const SERVICE_ACCOUNT = JSON.stringify({
  type: 'service_account',
  project_id: 'company',
  private_key_id: 'k',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'gateway@company.example',
  token_uri: 'https://oauth2.googleapis.com/token',
})

const VARIABLES = {
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  DEEPSEEK_API_KEY: 'k',
  GROQ_API_KEY: 'k',
  GEMINI_API_KEY: 'k',
  MISTRAL_API_KEY: 'k',
  OPENROUTER_API_KEY: 'k',
  XAI_API_KEY: 'k',
  PERPLEXITY_API_KEY: 'k',
  AZURE_SWEDEN_KEY: 'k',
  AZURE_EAST_KEY: 'k',
  AZURE_EAST_BASE: 'https://company-east.openai.azure.com',
  AZURE_AD_TOKEN: 'k',
  AZURE_AI_KEY: 'k',
  AWS_ACCESS_KEY_ID: 'AKIA',
  AWS_SECRET_ACCESS_KEY: 'secret',
  FAR_KEY: 'k',
  VERTEX_CREDENTIALS_JSON: SERVICE_ACCOUNT,
  LITELLM_MASTER_KEY: 'sk-1234',
}

let importer: ConfigImporter
beforeEach(async () => {
  importer = await openConfigImporter()
})
afterEach(() => importer.close())

const filesOf = (shape: string): Record<string, string> =>
  Object.fromEntries(
    [...new Bun.Glob('**/*.yaml').scanSync(join(FOLDER, shape))].map(name => [
      name,
      readFileSync(join(FOLDER, shape, name), 'utf8'),
    ]),
  )

const namesIn = (files: Readonly<Record<string, string>>): string[] =>
  Object.values(files).flatMap(text =>
    asArray(asObject(YAML.parse(text)).model_list).map(entry => String(asObject(entry).model_name)),
  )

interface Expected {
  readonly responding: readonly string[]
  /** Names, and what is said of them. */
  readonly questions: Readonly<Record<string, string>>
  readonly remarks?: readonly string[]
}

const NO_PRICE = 'has neither a price nor a ratio'
const NOT_SERVED = 'channels of Bedrock serve Claude here'
const WITH_KNOWN = 'it came with those known here'

const EXPECTED: Readonly<Record<string, Expected>> = {
  'azure-and-openai': {
    responding: ['embeddings', 'o3-mini', 'whisper'],
    questions: {
      'gpt-4o': 'these parameters do not exist here: rpm, tpm',
      'gpt-4o-ad': 'azure_ad_token',
      'llama-azure': NO_PRICE,
    },
    remarks: ['not brought: router_settings: routing_strategy, enable_pre_call_checks'],
  },
  bedrock: {
    responding: ['claude-haiku', 'claude-sonnet', 'claude-sonnet'],
    questions: {
      'claude-profile': NO_PRICE,
      'claude-role': 'aws_role_name, aws_session_name',
      nova: NOT_SERVED,
      'titan-embed': NOT_SERVED,
    },
  },
  compose: {
    responding: ['deepseek-chat', 'gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small'],
    questions: {
      'claude-sonnet': 'these parameters do not exist here: max_tokens',
      'groq-llama': NO_PRICE,
      'whisper-1': 'it was not asked',
    },
    remarks: ['its users and keys are in the database of database_url: import that, too'],
  },
  included: {
    responding: ['claude', 'gpt-4.1', 'o4-mini', 'perplexity'],
    questions: {},
    remarks: ['not brought: models/absent.yaml, which is included and not there'],
  },
  router: {
    responding: ['fast', 'fast', 'smart', 'smart'],
    questions: { cheap: 'timeout, max_retries', long: 'tags' },
    remarks: [
      'not brought: litellm_settings: fallbacks, context_window_fallbacks, default_fallbacks, content_policy_fallbacks',
    ],
  },
  'self-hosted': {
    responding: [
      ...['embed-local', 'llama-cpp', 'llama3', 'lm-studio', 'local-default', 'nomic', 'tgi', 'vllm-qwen'],
      'xinference',
    ],
    questions: { 'far-gpu': NO_PRICE, qwen: 'keep_alive', 'rerank-local': 'it was not asked' },
  },
  vertex: {
    responding: ['claude-on-vertex', 'gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-studio'],
    questions: {
      'embedding-on-vertex': NO_PRICE,
      'gemini-by-default-login': 'it has no key',
      'gemini-by-file': 'its credentials are a file there',
      imagen: NO_PRICE,
    },
  },
  wildcards: {
    responding: [],
    questions: {
      '*': WITH_KNOWN,
      'anthropic/*': WITH_KNOWN,
      'claude-*': WITH_KNOWN,
      'gemini/*': WITH_KNOWN,
      'my-llms/*': 'stands for all models of hosted_vllm',
      'openai/*': WITH_KNOWN,
    },
    remarks: ['5 of 5 channels responded'],
  },
}

const SHAPES = [...new Bun.Glob('*/config.yaml').scanSync(FOLDER)].map(path => path.split('/')[0] ?? '')

test.each(SHAPES.toSorted())('%s', async shape => {
  const files = filesOf(shape)
  const { responding, questions, report } = await importer.run({ files, variables: VARIABLES })
  const { responding: expected, questions: reasons, remarks = [] } = EXPECTED[shape] ?? NOTHING
  expect({ responding, questions }).toEqual({ responding: [...expected], questions: Object.keys(reasons) })
  const { skipped, questions: toOperator } = report.tables.get('channels') ?? NO_ROWS
  const rows = [...skipped.rows, ...toOperator.rows]
  for (const [name, reason] of Object.entries(reasons))
    expect(rows.filter(row => row.name === name).map(row => row.reason)).toContainEqual(
      expect.stringContaining(reason),
    )
  expect(report.remarks).toEqual(expect.arrayContaining([...remarks]))
  const lost = namesIn(files).filter(name => !questions.includes(name) && !responding.includes(name))
  expect(lost).toEqual([])
})

const NOTHING: Expected = { responding: [], questions: {} }
const NO_ROWS = { skipped: { rows: [] }, questions: { rows: [] } }
