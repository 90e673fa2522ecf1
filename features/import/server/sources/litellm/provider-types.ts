/** The channel type of a provider, with the base URL that it needs where the type here has another. */
interface ProviderType {
  readonly type: number
  readonly baseUrl?: string
  /** The operator must have named the address. */
  readonly needsBaseUrl?: true
}

export const OPENAI = 1
/** Chat at exactly the address given. */
export const CUSTOM = 8
export const AZURE = 3
export const BEDROCK = 33
export const VERTEX = 41

const compatible = (baseUrl: string): ProviderType => ({ type: OPENAI, baseUrl })
const ownServer: ProviderType = { type: OPENAI, needsBaseUrl: true }

/** Providers as LiteLLM names them before the slash of a model. */
export const PROVIDER_TYPES: Readonly<Record<string, ProviderType>> = {
  openai: { type: OPENAI },
  'text-completion-openai': { type: OPENAI },
  azure: { type: AZURE, needsBaseUrl: true },
  azure_text: { type: AZURE, needsBaseUrl: true },
  anthropic: { type: 14 },
  bedrock: { type: BEDROCK },
  vertex_ai: { type: VERTEX },
  gemini: { type: 24 },
  ollama: { type: 4 },
  ollama_chat: { type: 4 },
  openrouter: { type: 20 },
  deepseek: { type: 43 },
  mistral: { type: 42 },
  cohere: { type: 34 },
  cohere_chat: { type: 34 },
  xai: { type: 48 },
  perplexity: { type: 27 },
  volcengine: { type: 45 },
  dashscope: { type: 17 },
  moonshot: { type: 25 },
  jina_ai: { type: 38 },
  cloudflare: { type: 39 },
  minimax: { type: 35 },
  xinference: { type: 47 },
  groq: compatible('https://api.groq.com/openai'),
  together_ai: compatible('https://api.together.xyz'),
  fireworks_ai: compatible('https://api.fireworks.ai/inference'),
  nvidia_nim: compatible('https://integrate.api.nvidia.com'),
  cerebras: compatible('https://api.cerebras.ai'),
  sambanova: compatible('https://api.sambanova.ai'),
  azure_ai: ownServer,
  openai_like: ownServer,
  custom_openai: ownServer,
  hosted_vllm: ownServer,
  vllm: ownServer,
  lm_studio: ownServer,
  llamafile: ownServer,
  litellm_proxy: ownServer,
}

/** The provider of a model without a slash, which LiteLLM knows by the name. */
export const GUESSED_PROVIDERS: readonly (readonly [test: RegExp, provider: string])[] = [
  [/^(gpt-|o[1-9](-|$)|chatgpt-|text-embedding-(3|ada)|dall-e|whisper-|tts-)/, 'openai'],
  [/^claude-/, 'anthropic'],
]
