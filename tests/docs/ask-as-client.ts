import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { z } from 'zod'

const MAX_TOKENS = 100
const FIRST_MODEL = 'gpt-5.4-mini'

export type Variables = Readonly<Record<string, string>>

/** A configuration as a page shows it, with the real address and key. */
export interface Configuration {
  readonly code: string
  /** The variables that a shell has after the commands of the page, for configurations that are commands. */
  readonly variables: Variables
  /** The arguments of the commands, one per line. */
  readonly arguments: readonly string[]
}

type Asker = (configuration: Configuration) => Promise<unknown>

async function askOpenAi(baseURL: string | undefined, apiKey: string | undefined, model = FIRST_MODEL) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const reply = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'hello' }],
  })
  return reply.choices[0]?.message.content
}

async function askAnthropic(variables: Variables) {
  const { ANTHROPIC_BASE_URL: baseURL, ANTHROPIC_AUTH_TOKEN: authToken } = variables
  const client = new Anthropic({ baseURL, authToken, apiKey: null, maxRetries: 0 })
  const models = [variables.ANTHROPIC_MODEL ?? '', variables.ANTHROPIC_DEFAULT_HAIKU_MODEL ?? '']
  const replies = await Promise.all(
    models.map(model =>
      client.messages.create({
        model,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: 'hello' }],
      }),
    ),
  )
  return replies.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : '')).join('')
}

const OpencodeFile = z.object({
  model: z.string(),
  provider: z.object({
    tollgate: z.object({
      options: z.object({ baseURL: z.string(), apiKey: z.string() }),
      models: z.record(z.string(), z.object({})),
    }),
  }),
})

const CodexFile = z.object({
  model: z.string(),
  model_provider: z.string(),
  model_providers: z.record(
    z.string(),
    z.object({ base_url: z.string(), env_key: z.string(), wire_api: z.literal('responses') }),
  ),
})

const ContinueFile = z.object({
  models: z.tuple([z.object({ model: z.string(), apiBase: z.string(), apiKey: z.string() })]),
})

const GeminiFile = z.object({
  security: z.object({ auth: z.object({ selectedType: z.literal('gemini-api-key') }) }),
})

/** Address, without `/v1`, and key, for what a page's configuration leaves to another part of the page. */
export interface Target {
  readonly address: string
  readonly key: string
}

/** Asks a model with a page's configuration of a client, read the way the client reads it. */
export const askers = ({ address, key }: Target): Readonly<Record<string, Asker>> => ({
  'claude-code': ({ variables }) => askAnthropic(variables),
  'claude-code-settings': ({ code }) =>
    askAnthropic(z.object({ env: z.record(z.string(), z.string()) }).parse(JSON.parse(code)).env),
  async codex({ code }) {
    const { model, model_provider, model_providers } = CodexFile.parse(Bun.TOML.parse(code))
    const provider = model_providers[model_provider]
    if (provider?.env_key !== 'TOLLGATE_API_KEY') throw new Error('the page sets another variable')
    const client = new OpenAI({ baseURL: provider.base_url, apiKey: key, maxRetries: 0 })
    return (await client.responses.create({ model, input: 'hello' })).output_text
  },
  'codex-key': ({ variables }) => askOpenAi(`${address}/v1`, variables.TOLLGATE_API_KEY),
  'gemini-cli-settings'({ code }) {
    GeminiFile.parse(JSON.parse(code))
    return askOpenAi(`${address}/v1`, key)
  },
  async 'gemini-cli'({ variables }) {
    const client = new GoogleGenAI({
      apiKey: variables.GEMINI_API_KEY ?? '',
      httpOptions: { baseUrl: variables.GOOGLE_GEMINI_BASE_URL ?? '' },
    })
    const model = variables.GEMINI_MODEL ?? ''
    return (await client.models.generateContent({ model, contents: 'hello' })).text
  },
  async opencode({ code }) {
    const { model, provider } = OpencodeFile.parse(JSON.parse(code))
    const { options, models } = provider.tollgate
    if (!Object.hasOwn(models, model.replace('tollgate/', ''))) throw new Error('the model is not listed')
    const replies = await Promise.all(
      Object.keys(models).map(name => askOpenAi(options.baseURL, options.apiKey, name)),
    )
    return replies.join('')
  },
  continue({ code }) {
    const [{ model, apiBase, apiKey }] = ContinueFile.parse(Bun.YAML.parse(code)).models
    return askOpenAi(apiBase, apiKey, model)
  },
  'open-webui'({ arguments: words }) {
    const read = (name: string) => words.find(word => word.startsWith(`${name}=`))?.slice(name.length + 1)
    return askOpenAi(read('OPENAI_API_BASE_URL'), read('OPENAI_API_KEY'))
  },
  'openai-variables': ({ variables }) => askOpenAi(variables.OPENAI_PROXY_URL, variables.OPENAI_API_KEY),
  /** A table of fields and values: the address with or without `/v1`, the key, and perhaps a model. */
  settings({ code }) {
    const values = [...code.matchAll(/\| `([^`]+)` \|$/gm)].map(([, value = '']) => value)
    const url = values.find(value => value.startsWith('http')) ?? ''
    const token = values.find(value => value.startsWith('sk-'))
    const model = values.find(value => !value.startsWith('http') && !value.startsWith('sk-'))
    return askOpenAi(url.endsWith('/v1') ? url : `${url}/v1`, token, model)
  },
})
