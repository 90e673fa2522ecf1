import { cachedTokens, cacheWriteTokens, mapBuckets, type Usage } from '../../core/usage.ts'
import type { ChannelSetting, ChannelView } from '../contract/operation-adapter.ts'

interface CountedCall {
  readonly adapter: { readonly nativeFormat?: string | undefined }
  readonly call: { readonly channel: Pick<ChannelView, 'setting'> }
}

/** Anthropic's format counts cached tokens beside input, all others inside. */
const SEPARATE_FORMAT = 'anthropic'

/**
 * The usage that an upstream means, according to the settings of its channel. Adapters read figures as the provider of their
 * format counts; relays may count in another way.
 */
export function toMeantUsage(usage: Usage | undefined, { adapter, call }: CountedCall): Usage | undefined {
  const { setting } = call.channel
  if (!usage || !hasUsageSemantics(setting)) return usage
  const { cached_tokens, reasoning_tokens, usage_multiplier = 1 } = setting
  const isSeparate = adapter.nativeFormat === SEPARATE_FORMAT
  const withCached = readCached(usage, cached_tokens, isSeparate)
  return divide(reasoning_tokens === 'separate' ? withReasoning(withCached) : withCached, usage_multiplier)
}

export const hasUsageSemantics = (setting: ChannelSetting): boolean =>
  setting.cached_tokens !== undefined ||
  setting.reasoning_tokens !== undefined ||
  setting.usage_multiplier !== undefined

function readCached(usage: Usage, setting: ChannelSetting['cached_tokens'], isSeparate: boolean): Usage {
  if (setting === 'separate' && !isSeparate) {
    const { cachedInput = cachedTokens(usage), ...separate } = usage.separate ?? {}
    return { ...usage, input: usage.input + cachedTokens(usage), cachedInput, separate }
  }
  if (setting === 'included' && isSeparate) {
    const parts = cachedTokens(usage) + cacheWriteTokens(usage)
    return { ...usage, input: Math.max(usage.input - parts, 0) }
  }
  return usage
}

function withReasoning(usage: Usage): Usage {
  const { reasoning = usage.reasoning, ...separate } = usage.separate ?? {}
  return { ...usage, output: usage.output + usage.reasoning, reasoning, separate }
}

/** Whole tokens: the multiplied figures were rounded too. */
const divide = (usage: Usage, multiplier: number): Usage => ({
  ...usage,
  ...mapBuckets(bucket => Math.round(usage[bucket] / multiplier)),
})
