import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { givenText, type Params, readChannelKey, readOther } from './credentials.ts'
import {
  ANTHROPIC,
  AZURE,
  BEDROCK,
  CLOUDFLARE,
  COHERE,
  CUSTOM,
  GEMINI,
  GUESSED_PROVIDERS,
  OLLAMA,
  OPENAI,
  PROVIDERS,
  type ProviderFacts,
  VERTEX,
} from './provider-types.ts'

/** Where and with which key a deployment is called, in the terms of a channel. */
export interface ChannelPlace {
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  readonly type: number
  readonly baseUrl: string
  readonly key: string
  readonly other: string
  /** What the model is called for. */
  readonly kind: ModelKind
  /** A server of the operator. */
  readonly isOwn: boolean
  /** What keeps it from answering until the operator helps. */
  readonly lacks: readonly string[]
}

interface PlaceContext {
  readonly info: Params
  /** A variable of the configuration or of the environment. */
  readonly variable: (name: string) => string | undefined
}

export function findPlace(params: Params, context: PlaceContext): ChannelPlace | { readonly skip: string } {
  const { provider, model: named } = splitModel(params)
  if (named === '') return { skip: 'it names no model' }
  const facts = PROVIDERS.get(provider)
  if (facts?.lacks !== undefined || !facts)
    return {
      skip: `this gateway has no channels of the provider ${provider || named}${facts ? `, which ${facts.lacks}` : ''}`,
    }
  const firstOf = (names: readonly string[]) => names.map(context.variable).find(Boolean) ?? ''
  const given = findAddress(params) || trimmed(firstOf(facts.bases))
  if (given === '' && facts.base === '' && !HAS_NO_ADDRESS.includes(facts.type))
    return { skip: `a channel of ${provider} needs an api_base, and ${facts.bases[0]} is not set here` }
  const { model, region } = withoutSwitches(named, facts.type)
  const address = findAddressOf({ provider, model, given, facts, info: context.info })
  const place = {
    provider,
    model: asProviderNames(model, provider, given),
    kind: kindOf(model, context.info),
    ...address,
    key: readChannelKey(params, { facts, region, firstOf }),
    other: readOther(params, { type: address.type, given, firstOf }),
    isOwn: facts.isOwn || isPrivate(given),
  }
  const mayLackKey = place.isOwn || (given !== '' && !facts.isNative)
  return { ...place, lacks: findLacks(place, { facts, given, mayLackKey }) }
}

interface Addressed extends Pick<PlaceContext, 'info'> {
  readonly provider: string
  readonly model: string
  readonly given: string
  readonly facts: ProviderFacts
}

/**
 * Azure serves Claude in Anthropic's own format, and all models of a resource in OpenAI's. Other servers of Azure AI are of
 * one model each. Source: docs.litellm.ai/docs/providers/azure_ai
 */
function findAddressOf({ provider, model, given, facts, info }: Addressed) {
  const resource = given.replace(AZURE_PATHS, '')
  if (provider !== 'azure_ai') return toAddress(facts, given, kindOf(model, info))
  if (model.startsWith('claude')) return { type: ANTHROPIC, baseUrl: `${resource}/anthropic` }
  const kind = kindOf(model, info)
  return AZURE_RESOURCE.test(resource) && kind !== 'rerank'
    ? { type: AZURE, baseUrl: resource }
    : toAddress(facts, given, kind)
}

const AZURE_PATHS = /\/(anthropic|models|openai|v1)(\/.*)?$/
const AZURE_RESOURCE = /\.(services\.ai|openai|cognitiveservices)\.azure\.com$/

/** Some providers know a model by a longer name than LiteLLM. */
function asProviderNames(model: string, provider: string, given: string): string {
  if (provider === 'fireworks_ai' && !/[/#]/.test(model)) return `accounts/fireworks/models/${model}`
  // One of the providers behind Hugging Face, which its router reads after a colon.
  return provider === 'huggingface' && given === ''
    ? model.replace(/^([^/]+)\/([^/]+\/[^/]+)$/, '$2:$1')
    : model
}

const findAddress = (params: Params): string =>
  trimmed(givenText(params.api_base) || givenText(params.base_url) || givenText(params[ENDPOINT]))

function findLacks(
  { type, key, model }: Omit<ChannelPlace, 'lacks'>,
  {
    facts,
    given,
    mayLackKey,
  }: { readonly facts: ProviderFacts; readonly given: string; readonly mayLackKey: boolean },
): readonly string[] {
  const keys = type === BEDROCK ? ['AWS_ACCESS_KEY_ID', ...facts.keys] : facts.keys
  const isOfFile = type === VERTEX && key !== '' && !key.trimStart().startsWith('{')
  return [
    ...(key === '' && !mayLackKey
      ? [`it has no key, and ${keys.join(' and ')} ${keys.length > 1 ? 'are' : 'is'} not set here`]
      : []),
    ...(type === GEMINI && isUnversioned(given)
      ? ['LiteLLM calls its address without a version, and channels of Gemini add one']
      : []),
    ...(isOfFile ? ['its credentials are a file there: the key here is the content of that file'] : []),
    ...(type === BEDROCK && !SERVED_BY_BEDROCK.test(model)
      ? [`channels of Bedrock serve Claude here, and ${model} is another model`]
      : []),
  ]
}

const isUnversioned = (given: string): boolean =>
  given !== '' && !/\/v1[a-z]*(\/|$)|\/\/[^/]*googleapis\.com$/.test(given)

const ENDPOINT = 'aws_bedrock_runtime_endpoint'

/** The key or a setting beside it says where they are. */
const HAS_NO_ADDRESS = [BEDROCK, VERTEX]

const SERVED_BY_BEDROCK = /claude|^arn:|\*/
const trimmed = (url: string): string => url.trim().replace(/\/+$/, '')

/** A model is `provider/name`, where the name may contain slashes, or the provider is a parameter of its own. */
function splitModel(params: Params): Pick<ChannelPlace, 'provider' | 'model'> {
  const named = givenText(params.model)
  const [, prefix = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(named) ?? []
  const own = givenText(params.custom_llm_provider)
  if (own !== '') return { provider: own, model: prefix === own ? rest : named }
  if (PROVIDERS.has(prefix)) return { provider: prefix, model: rest }
  const base = trimmed(givenText(params.api_base))
  const ofAddress = [...PROVIDERS].find(([, facts]) => base !== '' && facts.base === base)?.[0]
  const guessed = GUESSED_PROVIDERS.find(([test]) => test.test(named))?.[1]
  return { provider: ofAddress ?? guessed ?? (named === '*' ? 'openai' : prefix), model: named }
}

const AWS_REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/
const ARN_REGION = /^arn:aws[^:]*:bedrock:([^:]+):/

/** Parts before a model that say how LiteLLM calls it, and are no part of its name. Source: docs.litellm.ai/docs/providers */
const SWITCHES: Readonly<Record<number, RegExp>> = {
  [BEDROCK]:
    /^(converse|converse_like|invoke|async_invoke|chat_completions|openai|mantle|claude_platform|nova|nova-2|llama|deepseek_r1|qwen2|qwen3|moonshot|gpt_oss)$/,
  [AZURE]: /^(o_series|gpt5_series|responses)$/,
  [VERTEX]: /^gemini$/,
  [OPENAI]: /^responses$/,
}

function withoutSwitches(model: string, type: number): { readonly model: string; readonly region: string } {
  const [, part = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? []
  if (type === BEDROCK && AWS_REGION.test(part)) return { ...withoutSwitches(rest, type), region: part }
  if (SWITCHES[type]?.test(part)) return withoutSwitches(rest, type)
  return { model, region: ARN_REGION.exec(model)?.[1] ?? '' }
}

const KINDS: Readonly<Record<string, ModelKind>> = {
  embedding: 'embeddings',
  image_generation: 'image',
  audio_speech: 'speech',
  audio_transcription: 'transcription',
  moderation: 'moderation',
  rerank: 'rerank',
}

const ENDPOINTS: Readonly<Partial<Record<ModelKind, string>>> = {
  embeddings: '/embeddings',
  image: '/images/generations',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  moderation: '/moderations',
  rerank: '/rerank',
}

const CHAT = '/chat/completions'

const kindOf = (model: string, { mode }: Params): ModelKind =>
  KINDS[givenText(mode)] ??
  findModel(model)?.kind ??
  NAMED_KINDS.find(([name]) => name.test(model))?.[1] ??
  'chat'

const NAMED_KINDS = [
  [/rerank|llama-rank/i, 'rerank'],
  [/embed/i, 'embeddings'],
] as const

/** What channels of a type with a protocol of its own append to their address themselves. */
const OWN_PATHS: Readonly<Record<number, RegExp>> = {
  [ANTHROPIC]: /\/v1(\/(messages|complete))?$/,
  [AZURE]: /\/openai(\/(v1|deployments)(\/.*)?)?$/,
  [CLOUDFLARE]: /\/client\/v4\/accounts(\/.*)?$/,
  [COHERE]: /\/v[12](\/(chat|embed|rerank))?$/,
  [GEMINI]: /\/v1[a-z]*(\/models(\/.*)?)?$/,
  [OLLAMA]: /\/(v1|api(\/(chat|generate|embed|embeddings))?)$/,
  [VERTEX]: /\/v1(beta1)?(\/projects\/.*)?$/,
}

const completed = (given: string, appends: string): string =>
  given.endsWith(appends) || given.endsWith(CHAT) ? given : given + appends

/**
 * LiteLLM appends the endpoint alone, without a version, to the address of an OpenAI-compatible server; for some providers
 * it appends a path first.
 */
function toAddress(
  { type, path, base, appends, isNative }: ProviderFacts,
  given: string,
  kind: ModelKind,
): Pick<ChannelPlace, 'type' | 'baseUrl'> {
  const ownPath = OWN_PATHS[type]
  if (isNative) return { type, baseUrl: ownPath ? given.replace(ownPath, '') : given }
  const url = given === '' ? base : completed(given, appends)
  const isReranker = kind === 'rerank' && type === OPENAI
  if (url.endsWith(path) && !isReranker) return { type, baseUrl: url.slice(0, url.length - path.length) }
  if (url.endsWith('/v1') && !isReranker) return { type: OPENAI, baseUrl: url.replace(/\/v1$/, '') }
  const endpoint = ENDPOINTS[kind] ?? CHAT
  return { type: CUSTOM, baseUrl: [CHAT, endpoint].some(end => url.endsWith(end)) ? url : url + endpoint }
}

/** Localhost, private ranges and names inside a network. */
const PRIVATE_HOST =
  /^(localhost|[^.:]+|.*\.(local|internal|lan|localhost)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[(::1|f[cd][\da-f]*:.*|fe80:.*)\])$/

const isPrivate = (url: string): boolean => URL.canParse(url) && PRIVATE_HOST.test(new URL(url).hostname)
