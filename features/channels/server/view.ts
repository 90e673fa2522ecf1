import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { fromCells } from '#contract/entities/stored.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { distinctNames } from '#contract/fields.ts'
import { nowMs } from '#server/core/clock.ts'
import { errorTexts } from '#server/core/errors.ts'
import { type BothLanguages, inLanguage, type Language, readStoredText } from '#server/core/language.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import { readStoppedModels } from '#server/db/channels/stopped-models.ts'
import type { ChannelForm, Provider } from '#server/provider-kit/contract/provider.ts'
import { isObject, parseJson } from '#server/provider-kit/json.ts'
import type { Registry } from '#server/providers/registry.ts'
import { toRoutedChannel } from '#server/relay/routing/channel-directory.ts'
import type { Channel, ChannelType } from '../contract/channels.ts'
import type { RoutePreview } from '../contract/route-preview.ts'
import type { ApiRoutePreview } from './channel-tools.ts'
import { offeredModels } from './models/offered-models.ts'

interface Reader {
  readonly language: Language
  readonly registry: Pick<Registry, 'byType'>
}

/** A channel as administrators see it. The key is never returned. */
export const toChannel = (row: ChannelRow, reader: Reader): Channel => ({
  id: row.id,
  ...fromCells(ChannelFields, row),
  key: '',
  status: row.status,
  groups: distinctNames(row.group),
  other_info: otherInfoOf(row, reader),
  response_time: row.response_time,
  test_time: row.test_time,
  created_time: row.created_time,
  balance: row.balance,
  balance_updated_time: row.balance_updated_time,
  used_quota: row.used_quota,
  stopped_models: readStoppedModels(row.stopped_models).map(stopped => ({
    ...stopped,
    reason: readStoredText(stopped.reason, reader.language),
  })),
})

/** An enabled channel whose settings, or entries of them, do not count says so, before any older remark. */
function otherInfoOf(row: ChannelRow, { language, registry }: Reader): string {
  const { problem, leftOut = [] } = row.status === CHANNEL_STATUS.enabled ? tryRouting(row, registry) : {}
  const reasons = problem ? [problem] : leftOut
  if (reasons.length === 0) return readOtherInfo(row.other_info, language)
  const mark = problem ? { is_unusable: true } : { is_incomplete: true }
  const status_reason = reasons.map(reason => reason[language]).join(language === 'zh' ? '；' : '; ')
  return JSON.stringify({ status_reason, status_time: 0, ...mark })
}

interface RoutingProblems {
  /** Why routing leaves the channel out. */
  readonly problem?: BothLanguages
  /** Why it leaves out entries of the channel. */
  readonly leftOut?: readonly BothLanguages[] | undefined
}

export function tryRouting(row: ChannelRow, registry: Reader['registry']): RoutingProblems {
  try {
    const provider = registry.byType(row.type)
    return { leftOut: provider && toRoutedChannel(row, provider, '').problems }
  } catch (error) {
    return { problem: errorTexts(error) }
  }
}

/** The reason of an automatic status change, in the reader's language. */
function readOtherInfo(otherInfo: string, language: Language): string {
  const json = parseJson(otherInfo)
  if (!isObject(json) || typeof json.status_reason !== 'string') return otherInfo
  return JSON.stringify({ ...json, status_reason: readStoredText(json.status_reason, language) })
}

/** Describes a provider for the channel form. */
export const toChannelType = (provider: Provider): ChannelType => ({
  type: provider.type,
  name: provider.name,
  name_zh: provider.nameZh ?? provider.name,
  popularity: provider.popularity ?? 'common',
  base_url: provider.baseUrl,
  key_hint: provider.keyHint ?? '',
  key_pattern: provider.keyPattern?.source ?? '',
  models: [...offeredModels(provider, new Date(nowMs()))],
  operations: operationsOf(provider),
  can_list_models: provider.listModels !== undefined,
  can_query_balance: provider.balance !== undefined,
  form: toForm(provider.form ?? {}),
})

const operationsOf = (provider: Provider): string[] =>
  (['chat', 'embeddings'] as const).filter(operation => provider[operation] !== undefined)

const toForm = (form: ChannelForm): ChannelType['form'] => ({
  ...(form.notice && { notice: form.notice }),
  base_url: form.baseUrl ?? 'optional',
  ...(form.baseUrlLabel && { base_url_label: form.baseUrlLabel }),
  key: form.key ?? 'text',
  ...(form.other && { other: toOther(form.other) }),
  has_organization: form.hasOrganization ?? false,
})

const toOther = (other: NonNullable<ChannelForm['other']>) => ({
  label: other.label,
  is_required: other.isRequired ?? false,
  ...(other.placeholder !== undefined && { placeholder: other.placeholder }),
  ...(other.defaultValue !== undefined && { default_value: other.defaultValue }),
})

export const toRoutePreview = (
  { candidates, attemptsMax, error }: ApiRoutePreview,
  language: Language,
): RoutePreview => ({
  channels_tried: attemptsMax,
  refusal: error ? { code: error.code, message: inLanguage(error, language).message } : null,
  candidates: candidates.map(candidate => ({
    channel_id: candidate.channelId,
    channel_name: candidate.channelName,
    priority: candidate.priority,
    weight: candidate.weight,
    chance: candidate.chance,
    upstream_model: candidate.upstreamModel,
    max_input_tokens: candidate.maxInputTokens,
    obstacle: candidate.skipReason ?? null,
  })),
})

/** A constant that clients of this list expect: providers do not publish when a model was created. */
const CREATED_SECONDS = 1_626_777_600

/** All default models of all providers, each listed once, under the first provider that has it. */
export function listKnownModels(registry: Registry) {
  const owners = new Map<string, string>()
  for (const { models, name, ownedBy } of registry.all())
    for (const model of models) if (!owners.has(model)) owners.set(model, ownedBy ?? name.toLowerCase())
  return [...owners].map(([id, owned_by]) => ({
    id,
    object: 'model' as const,
    created: CREATED_SECONDS,
    owned_by,
  }))
}
