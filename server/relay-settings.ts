import type { OptionValues } from '#contract/system-options.ts'
import type { RelaySettings } from './relay/gateway.ts'

/** What of the system options the relay follows, in its own words. */
export const relaySettingsOf = (options: OptionValues): RelaySettings => ({
  retryTimes: options.RetryTimes,
  preConsumedTokens: options.PreConsumedQuota,
  prices: {
    modelRatio: options.ModelRatio,
    modelPrice: options.ModelPrice,
    completionRatio: options.CompletionRatio,
    cacheRatio: options.CacheRatio,
    createCacheRatio: options.CreateCacheRatio,
    groupRatio: options.GroupRatio,
  },
  userUsableGroups: options.UserUsableGroups,
  balances: {
    isOfToken: options.DisplayTokenStatEnabled,
    unitsShownAsOne: options.DisplayInCurrencyEnabled ? options.QuotaPerUnit : 1,
  },
  isAutomaticDisableEnabled: options.AutomaticDisableChannelEnabled,
  automaticDisableKeywords: options.AutomaticDisableKeywords.map(keyword => keyword.toLowerCase()),
})
