import { type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import type { UnitWord } from './unit-text.ts'

/** How an option is typed in. */
export type FieldKind =
  | 'flag'
  | 'secret'
  | 'quota'
  | 'number'
  | 'lines'
  | 'names'
  | 'choice'
  | 'json'
  | 'text'

const SPECIAL: Partial<Record<OptionKey, FieldKind>> = {
  QuotaRemindThreshold: 'quota',
  QuotaForNewUser: 'quota',
  QuotaForInviter: 'quota',
  QuotaForInvitee: 'quota',
  SensitiveWords: 'lines',
  AutomaticDisableKeywords: 'lines',
  EmailDomainWhitelist: 'names',
  DataExportDefaultTime: 'choice',
  Chats: 'json',
  GroupRatio: 'json',
  UserUsableGroups: 'json',
  TopupGroupRatio: 'json',
  ModelPrice: 'json',
  ModelRatio: 'json',
  CompletionRatio: 'json',
  CacheRatio: 'json',
  CreateCacheRatio: 'json',
}

export function kindOf(key: OptionKey): FieldKind {
  const { initial, isSecret } = systemOptions[key]
  if (isSecret) return 'secret'
  const special = SPECIAL[key]
  if (special) return special
  if (initial === 'true' || initial === 'false') return 'flag'
  return initial !== '' && Number.isFinite(Number(initial)) ? 'number' : 'text'
}

/** What stands behind a number. */
export const UNITS: Partial<Record<OptionKey, UnitWord>> = {
  RetryTimes: 'times',
  DataExportInterval: 'minutes',
  ChannelDisableThreshold: 'seconds',
  PreConsumedQuota: 'tokens',
  ModelRequestRateLimitDurationMinutes: 'minutes',
  ModelRequestRateLimitCount: 'times',
  ModelRequestRateLimitSuccessCount: 'times',
  UserConcurrencyLimit: 'requests',
  Price: 'yuanPerDollar',
  MinTopUp: 'dollars',
}
