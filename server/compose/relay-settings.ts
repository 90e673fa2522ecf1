import type { RelaySettings } from '../relay/types.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import { createWordSearch } from '../core/word-search.ts'

const MINUTE_MS = 60_000

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
  sensitiveWords:
    options.CheckSensitiveEnabled && options.CheckSensitiveOnPromptEnabled
      ? createWordSearch(options.SensitiveWords)
      : undefined,
  requestRate: options.ModelRequestRateLimitEnabled
    ? {
        windowMs: options.ModelRequestRateLimitDurationMinutes * MINUTE_MS,
        requests: options.ModelRequestRateLimitCount,
        successes: options.ModelRequestRateLimitSuccessCount,
      }
    : undefined,
  userConcurrency: options.UserConcurrencyLimit,
  tasks: {
    isDrawingOpen: options.DrawingEnabled,
    isMusicOpen: options.TaskEnabled,
    isCallbackWanted: options.MjNotifyEnabled,
    isAccountFilterPassedOn: options.MjAccountFilterEnabled,
    areModesCleared: options.MjModeClearEnabled,
    arePicturesForwarded: options.MjForwardUrlEnabled,
    mustOriginBeFinished: options.MjActionCheckSuccessEnabled,
    serverAddress: options.ServerAddress,
  },
  isAutomaticDisableEnabled: options.AutomaticDisableChannelEnabled,
  automaticDisableKeywords: options.AutomaticDisableKeywords.map(keyword => keyword.toLowerCase()),
})
