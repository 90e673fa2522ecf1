import { z } from 'zod'
import table from './providers.json'

export const OPENAI = 1
export const OPENAI_BASE = 'https://api.openai.com'
/** At exactly the address given. */
export const CUSTOM = 8
export const AZURE = 3
export const OLLAMA = 4
export const ANTHROPIC = 14
export const GEMINI = 24
export const BEDROCK = 33
export const COHERE = 34
export const CLOUDFLARE = 39
export const VERTEX = 41

const ProviderFacts = z.strictObject({
  /** The channel type; OpenAI's where the provider follows its format. */
  type: z.number().default(OPENAI),
  /** What a channel of this type appends to its base URL before the endpoint. */
  path: z.string().default('/v1'),
  /** The address where an entry names none; empty: it must name one. */
  base: z.string().default(''),
  /** What LiteLLM appends to an address of the operator before the endpoint. */
  appends: z.string().default(''),
  /** The channel type has a protocol of its own, so that its base URL stands before any version. */
  isNative: z.boolean().default(false),
  /** A server of the operator: it costs nothing there and may need no key. */
  isOwn: z.boolean().default(false),
  /** Variables of the environment with the key and the address; by default PROVIDER_API_KEY and PROVIDER_API_BASE. */
  keys: z.array(z.string()).optional(),
  bases: z.array(z.string()).optional(),
  /** Why this gateway has no channels of it. */
  lacks: z.string().optional(),
})

function toFacts(name: string, row: unknown) {
  const variable = name.toUpperCase().replaceAll('-', '_')
  const {
    keys = [`${variable}_API_KEY`],
    bases = [`${variable}_API_BASE`],
    ...facts
  } = ProviderFacts.parse(row)
  return { ...facts, keys, bases }
}
export type ProviderFacts = ReturnType<typeof toFacts>

/** Providers as LiteLLM names them before the slash of a model. Source: docs.litellm.ai/docs/providers, release 1.110 */
export const PROVIDERS: ReadonlyMap<string, ProviderFacts> = new Map(
  Object.entries(table).map(([name, row]) => [name, toFacts(name, row)]),
)

/** The provider of a model without a slash, which LiteLLM knows by the name. */
export const GUESSED_PROVIDERS: readonly (readonly [test: RegExp, provider: string])[] = [
  [
    /^((ft:)?gpt-|o[1-9](-|$)|chatgpt-|text-embedding-(3|ada)|dall-e|whisper-|tts-|omni-moder|text-moder)/,
    'openai',
  ],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex_ai'],
  [/^command-/, 'cohere_chat'],
]
