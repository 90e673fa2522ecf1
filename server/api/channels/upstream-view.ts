import { z } from 'zod'
import type { ChannelRow } from '../../db/channels.ts'
import type { ChannelSetting, ChannelView } from '../../provider-kit/exchange.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import { hasSeveralKeys } from './checked-channel.ts'

type Configured = Pick<ChannelRow, 'id' | 'base_url' | 'other' | 'openai_organization' | 'setting'>

const ProxySetting = z.object({ proxy: z.string().optional() })

/** What the vendor's code may see of a channel, with its first key, for calls that are not a caller's request. */
export const toUpstreamView = (channel: Configured, key: string, provider: Provider): ChannelView => ({
  id: channel.id,
  key: hasSeveralKeys(channel.setting) ? (key.split('\n')[0] ?? '') : key,
  baseUrl: channel.base_url || provider.baseUrl,
  other: channel.other,
  organization: channel.openai_organization,
  setting: settingOf(channel.setting),
})

function settingOf(text: string): ChannelSetting {
  const { proxy } = ProxySetting.parse(text === '' ? {} : JSON.parse(text))
  return proxy ? { proxy } : {}
}
