import type { Usage } from '../../core/usage.ts'
import type { ChannelSetting, ChannelView } from '../../provider-kit/contract/operation-adapter.ts'
import type { AnyOperationAdapter } from '../types.ts'

interface CountedCall {
  readonly adapter: Pick<AnyOperationAdapter, 'nativeFormat'>
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
    const { cachedInput = usage.cachedInput, ...separate } = usage.separate ?? {}
    return { ...usage, input: usage.input + usage.cachedInput, cachedInput, separate }
  }
  if (setting === 'included' && isSeparate) {
    const parts = usage.cachedInput + usage.cacheWrite + usage.cacheWriteHour
    return { ...usage, input: Math.max(usage.input - parts, 0) }
  }
  return usage
}

function withReasoning(usage: Usage): Usage {
  const { reasoning = usage.reasoning, ...separate } = usage.separate ?? {}
  return { ...usage, output: usage.output + usage.reasoning, reasoning, separate }
}

/** Whole tokens: the multiplied figures were rounded too. */
function divide(usage: Usage, multiplier: number): Usage {
  const part = (tokens: number): number => Math.round(tokens / multiplier)
  return {
    ...usage,
    input: part(usage.input),
    cachedInput: part(usage.cachedInput),
    cacheWrite: part(usage.cacheWrite),
    cacheWriteHour: part(usage.cacheWriteHour),
    audioInput: part(usage.audioInput),
    imageInput: part(usage.imageInput),
    output: part(usage.output),
    reasoning: part(usage.reasoning),
    audioOutput: part(usage.audioOutput),
  }
}
