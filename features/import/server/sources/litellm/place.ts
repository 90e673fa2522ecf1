import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { givenText, type Params, readChannelKey, readOther } from './credentials.ts'
import {
  AZURE,
  BEDROCK,
  CUSTOM,
  GUESSED_PROVIDERS,
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
  const place = {
    provider,
    model,
    ...findAddressOf({ provider, model, given, facts, info: context.info }),
    key: readChannelKey(params, { facts, region, firstOf }),
    other: readOther(params, { facts, given, firstOf }),
    isOwn: facts.isOwn || isPrivate(given),
  }
  const mayLackKey = place.isOwn || (given !== '' && !facts.isNative)
  return { ...place, lacks: findLacks(place, facts, mayLackKey) }
}

const ANTHROPIC = 14

interface Addressed extends Pick<PlaceContext, 'info'> {
  readonly provider: string
  readonly model: string
  readonly given: string
  readonly facts: ProviderFacts
}

/** Azure serves Claude in Anthropic's own format. Source: docs.litellm.ai/docs/providers/azure_ai, Claude */
const findAddressOf = ({ provider, model, given, facts, info }: Addressed) =>
  provider === 'azure_ai' && model.startsWith('claude')
    ? { type: ANTHROPIC, baseUrl: `${given.replace(AZURE_PATHS, '')}/anthropic` }
    : toAddress(facts, given, kindOf(model, info))

const AZURE_PATHS = /\/(anthropic|models|openai|v1)(\/.*)?$/

const findAddress = (params: Params): string =>
  trimmed(givenText(params.api_base) || givenText(params.base_url) || givenText(params[ENDPOINT]))

function findLacks(
  { type, key, model }: Omit<ChannelPlace, 'lacks'>,
  facts: ProviderFacts,
  mayLackKey: boolean,
): readonly string[] {
  const keys = type === BEDROCK ? ['AWS_ACCESS_KEY_ID', ...facts.keys] : facts.keys
  const isOfFile = type === VERTEX && key !== '' && !key.trimStart().startsWith('{')
  return [
    ...(key === '' && !mayLackKey
      ? [`it has no key, and ${keys.join(' and ')} ${keys.length > 1 ? 'are' : 'is'} not set here`]
      : []),
    ...(isOfFile ? ['its credentials are a file there: the key here is the content of that file'] : []),
    ...(type === BEDROCK && !SERVED_BY_BEDROCK.test(model)
      ? [`channels of Bedrock serve Claude here, and ${model} is another model`]
      : []),
  ]
}

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
  return SWITCHES[type]?.test(part) ? withoutSwitches(rest, type) : { model, region: '' }
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
  KINDS[givenText(mode)] ?? findModel(model)?.kind ?? (/embed/i.test(model) ? 'embeddings' : 'chat')

/** What follows the address of a provider with a protocol of its own. */
const OWN_PATHS = /(\/v\d+(beta\d*)?|\/api\/(chat|generate|embed)|\/openai|\/client\/v4\/accounts)(\/.*)?$/

/** LiteLLM appends the endpoint alone, without a version, to the address of an OpenAI-compatible server. */
function toAddress(
  { type, path, base, isNative }: ProviderFacts,
  given: string,
  kind: ModelKind,
): Pick<ChannelPlace, 'type' | 'baseUrl'> {
  const url = given || base
  if (isNative) return { type, baseUrl: given.replace(type === BEDROCK ? '' : OWN_PATHS, '') }
  if (url.endsWith(path)) return { type, baseUrl: url.slice(0, url.length - path.length) }
  if (url.endsWith('/v1')) return { type: OPENAI, baseUrl: url.replace(/\/v1$/, '') }
  const endpoint = ENDPOINTS[kind] ?? CHAT
  return { type: CUSTOM, baseUrl: [CHAT, endpoint].some(end => url.endsWith(end)) ? url : url + endpoint }
}

/** Localhost, private ranges and names inside a network. */
const PRIVATE_HOST =
  /^(localhost|[^.:]+|.*\.(local|internal|lan|localhost)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[(::1|f[cd][\da-f]*:.*|fe80:.*)\])$/

const isPrivate = (url: string): boolean => URL.canParse(url) && PRIVATE_HOST.test(new URL(url).hostname)
