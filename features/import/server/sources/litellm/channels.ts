import { CHANNEL_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { ImportedChannel, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, text, textList } from '../../read-values.ts'
import { expandModels } from './allowed-models.ts'
import { type Deployment, isPattern, missingVariable } from './deployments.ts'
import type { Directory } from './directory.ts'
import { DEFAULT_GROUP, ORGANISATION_PREFIX, TEAM_PREFIX } from './groups.ts'
import type { ChannelPlace } from './place.ts'
import { READ_PRICES } from './prices.ts'

/** A deployment: one model at one provider. */
export function readChannel(row: SourceRow, directory: Directory): Reading<ImportedChannel> {
  const deployment = directory.deployments.get(text(row, 'model_id'))
  if (!deployment) return { skip: 'its parameters cannot be read' }
  const { names, params = {}, place, targets } = deployment
  if ('skip' in place) return place
  if (targets.size === 0)
    return {
      skip: `${names[0]} stands for all models of ${place.provider}: add a channel with those that you want`,
    }
  const notes: string[] = []
  const publicNames = publicNamesOf(deployment)
  const record: ImportedChannel = {
    ...UNTESTED,
    originalId: undefined,
    used_quota: 0,
    other_info: '',
    type: place.type,
    name: text(row, 'model_name'),
    key: place.key,
    openai_organization: stringOf(params.organization),
    status: readStatus(deployment, place, notes),
    // LiteLLM shares requests by rates where there are no weights.
    weight: readWeight(params.weight ?? params.rpm ?? params.tpm),
    priority: typeof params.order === 'number' ? -Math.round(params.order) : 0,
    created_time: dateSeconds(row, 'created_at') ?? nowSeconds(),
    base_url: place.baseUrl,
    other: place.other,
    models: publicNames.map(name => name.replaceAll(',', ' ')).join(','),
    group: groupsOf(deployment, directory, notes),
    model_mapping: toMapping(publicNames.map(name => [name, targets.get(name) ?? place.model])),
    setting: params.merge_reasoning_content_in_choices === true ? '{"thinking_to_content":true}' : '',
  }
  if (!deployment.isServed) notes.push(`its channel cannot serve it, which is for ${place.kind}`)
  if (isPattern(place.model))
    notes.push(
      `${row.model_name} stands for all models there: it came with those known here, ${names.length} names`,
    )
  noteLosses(row, deployment, notes)
  return { record, notes }
}

const UNTESTED = { test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0 } as const

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Weights are shares; fractions of one become hundredths. */
function readWeight(weight: unknown): number {
  const value = Number(weight ?? 0)
  if (!Number.isFinite(value) || value <= 0) return 0
  return value < 1 ? Math.round(value * 100) : Math.round(value)
}

function readStatus(
  { isBlocked, params = {} }: Deployment,
  { lacks }: ChannelPlace,
  notes: string[],
): number {
  const missing = Object.values(params).flatMap(value => missingVariable(value) ?? [])
  const reasons =
    missing.length > 0
      ? [`${missing.join(', ')} of its environment is not set here`, ...lacks.slice(1)]
      : lacks
  notes.push(...reasons.map(reason => `${reason}: the channel came disabled`))
  return reasons.length > 0 || isBlocked ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled
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

function toMapping(targets: readonly (readonly [name: string, model: string])[]): string {
  const mapped = targets.filter(([name, model]) => name !== model)
  return mapped.length === 0 ? '' : JSON.stringify(Object.fromEntries(mapped))
}

/** Parameters that are read, or that have no effect on what is sent. */
const UNDERSTOOD = new Set([
  ...['model', 'custom_llm_provider', 'api_key', 'api_base', 'base_url', 'api_version', 'organization'],
  ...['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token', 'aws_region_name'],
  ...['aws_bedrock_runtime_endpoint', 'litellm_credential_name', 'vertex_project', 'vertex_location'],
  ...['vertex_credentials', 'weight', 'order', 'drop_params', 'base_model', 'use_in_pass_through'],
  ...['merge_reasoning_content_in_choices', ...READ_PRICES],
])

function noteLosses(row: SourceRow, { params = {}, info }: Deployment, notes: string[]): void {
  const lost = Object.entries(params)
    .filter(([name, value]) => !UNDERSTOOD.has(name) && value !== null && value !== '' && value !== false)
    .map(([name]) => name)
  const lostPrices = Object.keys(info).filter(name => name.includes('cost') && !UNDERSTOOD.has(name))
  const unread = text(row, 'unread').split(',').filter(Boolean)
  const all = [...lost, ...lostPrices, ...unread]
  if (all.length > 0) notes.push(`these parameters do not exist here: ${all.join(', ')}`)
  if (Array.isArray(info.access_groups) && info.access_groups.length > 0)
    notes.push('access groups do not exist here: keys that name one list its models')
}
