import { CHANNEL_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { ImportedChannel, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, text, textList } from '../../read-values.ts'
import { expandModels } from './allowed-models.ts'
import { type Deployment, missingVariable } from './deployments.ts'
import type { Directory } from './directory.ts'
import { DEFAULT_GROUP, ORGANISATION_PREFIX, TEAM_PREFIX } from './groups.ts'
import {
  AZURE,
  BEDROCK,
  CUSTOM,
  GUESSED_PROVIDERS,
  OPENAI,
  PROVIDER_TYPES,
  VERTEX,
} from './provider-types.ts'

type Params = Readonly<Record<string, unknown>>

/** A deployment: one model at one provider. */
export function readChannel(row: SourceRow, directory: Directory): Reading<ImportedChannel> {
  const deployment = directory.deployments.get(text(row, 'model_id'))
  if (!deployment?.params)
    return { skip: 'its parameters, or the credential it names, were encrypted with another salt key' }
  const { names, params, info } = deployment
  const place = findPlace(params)
  if ('skip' in place) return place
  if ([...names, place.model].some(name => name.includes('*')))
    return {
      skip: `${names[0]} stands for all models of ${place.provider}: add a channel with those that you want`,
    }
  const notes: string[] = []
  const publicNames = publicNamesOf(deployment)
  const key = readKey(params, place.type)
  const record: ImportedChannel = {
    ...UNTESTED,
    originalId: undefined,
    used_quota: 0,
    other_info: '',
    type: place.type,
    name: names[0] ?? '',
    key,
    openai_organization: stringOf(params.organization),
    status: readStatus(deployment, { key, baseUrl: place.baseUrl }, notes),
    weight: readWeight(params.weight),
    priority: typeof params.order === 'number' ? -Math.round(params.order) : 0,
    created_time: dateSeconds(row, 'created_at') ?? nowSeconds(),
    base_url: place.baseUrl,
    other: readOther(params, place.type),
    models: publicNames.map(name => name.replaceAll(',', ' ')).join(','),
    group: groupsOf(deployment, directory, notes),
    model_mapping: toMapping(publicNames, place.model),
  }
  noteLosses(params, info, notes)
  return { record, notes }
}

const UNTESTED = { test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0 } as const

interface ChannelPlace {
  readonly provider: string
  readonly model: string
  readonly type: number
  readonly baseUrl: string
}

function findPlace(params: Params): ChannelPlace | { readonly skip: string } {
  const { provider, model } = splitModel(params)
  const known = Object.hasOwn(PROVIDER_TYPES, provider) ? PROVIDER_TYPES[provider] : undefined
  if (!known) return { skip: `this gateway has no channels of the provider ${provider || model}` }
  const given = stringOf(params.api_base || params.base_url)
    .trim()
    .replace(/\/+$/, '')
  if (given === '' && known.needsBaseUrl) return { skip: `a channel of ${provider} needs an api_base` }
  return { provider, model, ...toAddress(known.type, given, known.baseUrl ?? '') }
}

/** A model is `provider/name`, where the name may contain slashes, or the provider is a parameter of its own. */
function splitModel(params: Params): Pick<ChannelPlace, 'provider' | 'model'> {
  const named = stringOf(params.model)
  const [, prefix = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(named) ?? []
  const own = stringOf(params.custom_llm_provider)
  if (Object.hasOwn(PROVIDER_TYPES, prefix)) return { provider: own || prefix, model: rest }
  const guessed = GUESSED_PROVIDERS.find(([test]) => test.test(named))?.[1]
  return { provider: own || guessed || prefix, model: named }
}

const ENDS_IN_VERSION = /\/v\d+(beta)?$/

/** LiteLLM appends no version to the address of an OpenAI-compatible server. */
function toAddress(type: number, given: string, initial: string): Pick<ChannelPlace, 'type' | 'baseUrl'> {
  if (given === '') return { type, baseUrl: initial }
  if (type === AZURE) return { type, baseUrl: given.replace(/\/openai(\/.*)?$/, '') }
  if (type !== OPENAI || ENDS_IN_VERSION.test(given)) return { type, baseUrl: given.replace(/\/v1$/, '') }
  return { type: CUSTOM, baseUrl: given.endsWith(CHAT) ? given : given + CHAT }
}

const CHAT = '/chat/completions'

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function readKey(params: Params, type: number): string {
  if (type === BEDROCK && stringOf(params.aws_access_key_id) !== '')
    return [params.aws_access_key_id, params.aws_secret_access_key, params.aws_region_name]
      .map(stringOf)
      .join('|')
  if (type === VERTEX) return stringOf(params.vertex_credentials)
  return stringOf(params.api_key)
}

function readOther(params: Params, type: number): string {
  if (type === VERTEX) return stringOf(params.vertex_location)
  return type === AZURE ? stringOf(params.api_version) : ''
}

/** Weights are shares; fractions of one become hundredths. */
function readWeight(weight: unknown): number {
  const value = Number(weight ?? 0)
  if (!Number.isFinite(value) || value <= 0) return 0
  return value < 1 ? Math.round(value * 100) : Math.round(value)
}

const KEYLESS = /^(none|dummy|no-key|not-needed|-|)$/i

function readStatus(
  { isBlocked, params = {} }: Deployment,
  { key, baseUrl }: { readonly key: string; readonly baseUrl: string },
  notes: string[],
): number {
  const missing = Object.values(params).flatMap(value => missingVariable(value) ?? [])
  if (missing.length > 0)
    notes.push(`${missing.join(', ')} of its environment is not set here: the channel came disabled`)
  else if (KEYLESS.test(key) && baseUrl === '') notes.push('it has no key: the channel came disabled')
  else if (!isBlocked) return CHANNEL_STATUS.enabled
  return CHANNEL_STATUS.disabled
}

/** The model of a single team has a public name of its own. */
function publicNamesOf({ names, info }: Deployment): readonly string[] {
  const name = stringOf(info.team_public_model_name)
  return name !== '' && stringOf(info.team_id) !== '' ? [name] : names
}

/** Teams and organisations may use a model when their list allows it. */
function groupsOf(deployment: Deployment, directory: Directory, notes: string[]): string {
  const { teams, organisations, groups, models } = directory
  const team = stringOf(deployment.info.team_id)
  const own = groups.get(TEAM_PREFIX + team)
  if (own !== undefined) {
    notes.push(`only the team ${own} may use it there; here, whoever chooses the group ${own} for a token`)
    return own
  }
  const mayUse = (row: SourceRow) => {
    const allowed = expandModels(textList(row, 'models'), models, [])
    return allowed === undefined || deployment.names.some(name => allowed.has(name))
  }
  const allowing = [
    ...[...teams].filter(([, row]) => mayUse(row)).map(([id]) => TEAM_PREFIX + id),
    ...[...organisations].filter(([, row]) => mayUse(row)).map(([id]) => ORGANISATION_PREFIX + id),
  ]
  return [DEFAULT_GROUP, ...allowing.flatMap(owner => groups.get(owner) ?? [])].join(',')
}

function toMapping(names: readonly string[], model: string): string {
  const mapped = names.filter(name => name !== model).map(name => [name, model])
  return mapped.length === 0 ? '' : JSON.stringify(Object.fromEntries(mapped))
}

/** Parameters that are read, or that have no effect on what is sent. */
const UNDERSTOOD = new Set([
  ...['model', 'custom_llm_provider', 'api_key', 'api_base', 'base_url', 'api_version', 'organization'],
  ...['aws_access_key_id', 'aws_secret_access_key', 'aws_region_name', 'litellm_credential_name'],
  ...['vertex_project', 'vertex_location', 'vertex_credentials', 'weight', 'order', 'drop_params'],
  ...['input_cost_per_token', 'output_cost_per_token', 'use_in_pass_through', 'use_litellm_proxy'],
  'merge_reasoning_content_in_choices',
])

function noteLosses(params: Params, info: Params, notes: string[]): void {
  const lost = Object.entries(params)
    .filter(([name, value]) => !UNDERSTOOD.has(name) && value !== null && value !== '' && value !== false)
    .map(([name]) => name)
  if (lost.length > 0) notes.push(`these parameters do not exist here: ${lost.join(', ')}`)
  if (Array.isArray(info.access_groups) && info.access_groups.length > 0)
    notes.push('access groups do not exist here: keys that name one list its models')
}
