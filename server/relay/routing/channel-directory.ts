import { z } from 'zod'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { Secrets } from '../../core/crypto.ts'
import { errorMessage, GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import type { Logger } from '../../core/logger.ts'
import { modelFamily } from '../../core/model-names.ts'
import { type RoutingChannelRow, selectRoutingChannels } from '../../db/channels/channels.ts'
import { readStoppedModels } from '../../db/channels/stopped-models.ts'
import type { Database } from '../../db/engine/database.ts'
import { createPurchasePrices, PriceList, type PurchasePrices } from '../../pricing/purchase-price.ts'
import type { ChannelView } from '../../provider-kit/contract/operation-adapter.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import { findFirstProblem, type Problem } from '../../provider-kit/first-problem.ts'
import { type JsonObject, parseJson } from '../../provider-kit/json.ts'
import type { Registry } from '../../providers/registry.ts'
import { toRequestPolicy } from '../request/request-policy.ts'
import type { RequestPolicy } from '../types.ts'

/** A snapshot of all channels, searchable by group and model without a query. */
export interface ChannelDirectory {
  /** Enabled channels that serve the model, or its family, to the group, in no particular order. */
  find(group: string, model: string): readonly RoutedChannel[]
  /** Whether a channel serves the model, or its family, to the group unless it, or the model on it, was stopped automatically. */
  isServedWhenUp(group: string, model: string): boolean
  /** Includes disabled channels. */
  byId(id: number): RoutedChannel | undefined
  /** Sorted names of the models that enabled channels serve to the group. */
  listModels(group: string): readonly string[]
}

/** A configured channel, ready to be called. */
export interface RoutedChannel {
  readonly id: number
  readonly name: string
  readonly isEnabled: boolean
  /** Disabled by itself after failures, and enabled again when it recovers. */
  readonly isDown: boolean
  readonly priority: number
  readonly weight: number
  readonly canBeDisabledAutomatically: boolean
  readonly models: readonly string[]
  /** Models that the gateway took out of routing. */
  readonly stoppedModels: ReadonlySet<string>
  readonly groups: readonly string[]
  readonly testModel: string
  readonly provider: Provider
  /** The channel as its provider sees it, with the key to use. */
  readonly view: ChannelView
  /** One view for each of its keys. */
  readonly views: readonly ChannelView[]
  readonly limits: ChannelLimits
  readonly modelMapping: Readonly<Record<string, string>>
  readonly statusCodeMapping: Readonly<Record<string, number>>
  /** Top-level fields that replace those of the outgoing body. */
  readonly paramOverride: JsonObject
  /** The region of the provider whose prices apply; undefined for the usual prices. */
  readonly region?: string | undefined
  /** Undefined where the channel sends what clients ask for. */
  readonly policy?: RequestPolicy | undefined
  /** Purchase prices of its account; undefined where the operator has not entered them. */
  readonly purchase?: PurchasePrices | undefined
  /** What is wrong with entries of its lists that do not count. */
  readonly problems?: readonly BothLanguages[]
}

/** The operator's limits for one channel. A limit that is undefined does not apply. */
export interface ChannelLimits {
  readonly concurrency?: number
  readonly requestsPerMinute?: number
  /** Of one request. */
  readonly inputTokens?: number
}

export interface ChannelDirectoryDeps {
  readonly db: Database
  readonly registry: Registry
  readonly secrets: Secrets
  readonly log: Logger
}

/** Reads every channel. Leaves out and logs the ones whose configuration cannot be used. */
export async function loadChannelDirectory(deps: ChannelDirectoryDeps): Promise<ChannelDirectory> {
  const rows = await selectRoutingChannels(deps.db)
  return createChannelDirectory(rows.flatMap(row => toUsableChannel(row, deps)))
}

function toUsableChannel(
  row: RoutingChannelRow,
  { registry, secrets, log }: ChannelDirectoryDeps,
): RoutedChannel[] {
  const provider = registry.byType(row.type)
  if (!provider) return []
  try {
    const channel = toRoutedChannel(row, provider, secrets.decrypt(row.key_sealed))
    for (const { en: reason } of channel.problems ?? [])
      log.error('an entry of a channel does not count', { channel_id: row.id, reason })
    return [channel]
  } catch (error) {
    log.error('a channel was left out of routing', { channel_id: row.id, reason: errorMessage(error) })
    return []
  }
}

export function createChannelDirectory(channels: readonly RoutedChannel[]): ChannelDirectory {
  const byId = new Map(channels.map(channel => [channel.id, channel]))
  const byGroup = new Map<string, Map<string, RoutedChannel[]>>()
  for (const channel of channels) {
    if (!channel.isEnabled) continue
    for (const group of channel.groups) addToGroup(byGroup, group, channel)
  }
  return {
    find(group, model) {
      const byModel = byGroup.get(group)
      return byModel?.get(model) ?? byModel?.get(modelFamily(model)) ?? []
    },
    isServedWhenUp: (group, model) =>
      channels.some(channel => {
        const listed = listedModel(channel, model)
        const isStopped = channel.isDown || (channel.isEnabled && channel.stoppedModels.has(listed))
        return isStopped && channel.groups.includes(group) && channel.models.includes(listed)
      }),
    byId: id => byId.get(id),
    listModels: group => [...(byGroup.get(group)?.keys() ?? [])].sort(),
  }
}

function addToGroup(
  byGroup: Map<string, Map<string, RoutedChannel[]>>,
  group: string,
  channel: RoutedChannel,
): void {
  const byModel = byGroup.get(group) ?? new Map<string, RoutedChannel[]>()
  byGroup.set(group, byModel)
  for (const model of channel.models)
    if (!channel.stoppedModels.has(model)) byModel.set(model, [...(byModel.get(model) ?? []), channel])
}

/** The name of a requested model in the channel's list: its own, or its family's. */
export const listedModel = ({ models }: Pick<RoutedChannel, 'models'>, model: string): string =>
  models.includes(model) ? model : modelFamily(model)

const StatusCode = z.coerce.number().int().min(100).max(599)
const Entries = z.record(z.string(), z.unknown())
const ChannelSetting = z.looseObject({
  force_format: z.boolean().optional(),
  thinking_to_content: z.boolean().optional(),
  proxy: z.string().optional(),
  several_keys: z.boolean().optional(),
  max_concurrency: z.number().optional(),
  requests_per_minute: z.number().optional(),
  keep_alive_seconds: z.number().optional(),
  region: z.string().optional(),
  service_tier: z.enum(['allow', 'strip', 'forbid']).optional(),
  server_tools: z.enum(['allow', 'strip', 'forbid']).optional(),
  cached_tokens: z.enum(['included', 'separate']).optional(),
  reasoning_tokens: z.enum(['included', 'separate']).optional(),
  usage_multiplier: z.number().positive().optional(),
  purchase_factor: z.number().positive().optional(),
  purchase_prices: Entries.optional(),
})

/**
 * Parses a row. Throws a GatewayError that names the field when one of its JSON columns is invalid. Of a list of models or
 * statuses the valid entries count; a model whose mapping cannot be read is not served, because nobody knows what it would be.
 */
export function toRoutedChannel(
  row: Omit<RoutingChannelRow, 'key_sealed'>,
  provider: Provider,
  key: string,
): RoutedChannel {
  const setting = withoutUndefined(parseField('setting', row.setting, ChannelSetting))
  const view: ChannelView = {
    id: row.id,
    key,
    baseUrl: row.base_url || provider.baseUrl,
    other: row.other,
    organization: row.openai_organization,
    setting,
  }
  const mapping = readEntries('model_mapping', row.model_mapping, z.string())
  const statuses = readEntries('status_code_mapping', row.status_code_mapping, StatusCode)
  const prices = validEntries('setting.purchase_prices', setting.purchase_prices ?? {}, PriceList)
  const keys = key.split('\n').filter(Boolean)
  const views = setting.several_keys ? keys.map(line => ({ ...view, key: line })) : [view]
  return {
    id: row.id,
    name: row.name,
    isEnabled: row.status === CHANNEL_STATUS.enabled,
    isDown: row.status === CHANNEL_STATUS.autoDisabled,
    priority: row.priority,
    weight: Math.max(row.weight, 0),
    canBeDisabledAutomatically: row.auto_ban === 1,
    models: splitCommaList(row.models).filter(model => !mapping.problems.has(model)),
    stoppedModels: new Set(readStoppedModels(row.stopped_models).map(({ model }) => model)),
    groups: splitCommaList(row.group),
    testModel: row.test_model,
    provider,
    view: views[0] ?? view,
    views,
    limits: {
      ...(setting.max_concurrency && { concurrency: setting.max_concurrency }),
      ...(setting.requests_per_minute && { requestsPerMinute: setting.requests_per_minute }),
      ...(row.max_input_tokens > 0 && { inputTokens: row.max_input_tokens }),
    },
    modelMapping: mapping.entries,
    statusCodeMapping: statuses.entries,
    paramOverride: parseField('param_override', row.param_override, Entries),
    region: setting.region || regionOf(view.baseUrl),
    policy: toRequestPolicy(setting),
    purchase: createPurchasePrices({
      factor: setting.purchase_factor,
      prices: prices.entries,
      multiplier: setting.usage_multiplier,
    }),
    problems: [mapping, statuses, prices].flatMap(({ problems }) => [...problems.values()]),
  }
}

/** OpenAI's addresses of the regions that it charges more for. Source: platform.openai.com/docs, data residency */
const REGIONAL_ADDRESS = /^https:\/\/(us|eu)\.api\.openai\.com(?:\/|$)/
const regionOf = (baseUrl: string): string | undefined => REGIONAL_ADDRESS.exec(baseUrl)?.[1]

const splitCommaList = (text: string): readonly string[] =>
  [...new Set(text.split(',').map(entry => entry.trim()))].filter(Boolean)

/** Empty text, and the text `null` that older consoles send, mean an empty object. */
function parseField<Value>(field: string, text: string, schema: z.ZodType<Value>): Value {
  const json = text === '' || text === 'null' ? {} : parseJson(text)
  const problem = findFirstProblem(schema, json)
  if (!problem) return schema.parse(json)
  throw new GatewayError('no_available_channel', describeProblem(field, problem))
}

const readEntries = <Value>(field: string, text: string, entry: z.ZodType<Value>) =>
  validEntries(field, parseField(field, text, Entries), entry)

/** The entries that can be read, and what is wrong with each of the others. */
function validEntries<Value>(field: string, entries: JsonObject, entry: z.ZodType<Value>) {
  const problems = new Map<string, BothLanguages>()
  for (const [name, value] of Object.entries(entries)) {
    const problem = findFirstProblem(entry, value, [name])
    if (problem) problems.set(name, describeProblem(field, problem))
  }
  const valid = Object.entries(entries).filter(([name]) => !problems.has(name))
  return { entries: Object.fromEntries(valid.map(([name, value]) => [name, entry.parse(value)])), problems }
}

function describeProblem(field: string, { path, needed }: Problem): BothLanguages {
  const place = [field, ...path].join('.')
  return {
    zh: `渠道的 ${place} 无法使用：需要${needed.zh}`,
    en: `the channel's ${place} cannot be used: it must be ${needed.en}`,
  }
}

const withoutUndefined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
