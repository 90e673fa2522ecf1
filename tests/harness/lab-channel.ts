import { createToken, type Token, type TokenDraft } from '#contract/entities/token.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import type { Channel, ChannelDraft } from '#features/channels/contract/channels.ts'
import type { AdminClient } from './api-client.ts'
import type { Lab } from './start-lab.ts'

/** Stored channel types of the providers. */
export const PROVIDERS = { openai: 1, drawing: 5, custom: 8, anthropic: 14, gemini: 24, music: 36 } as const

interface LabChannel {
  readonly provider: keyof typeof PROVIDERS
  readonly models: readonly string[]
  readonly name?: string
  readonly priority?: number
  /** Fault scenario that the lab applies to every request of the channel, for example `status-500`. */
  readonly scenario?: string
  /** Lab namespace with its own counters and a scenario that can be changed at any time. */
  readonly namespace?: string
  /** Further fields of the channel form. */
  readonly draft?: ChannelDraft
}

/** Adds a channel whose upstream is the lab. */
export async function addLabChannel(
  admin: AdminClient,
  lab: Pick<Lab, 'url'>,
  channel: LabChannel,
): Promise<Channel> {
  const { provider, models, name = `lab ${provider}`, priority = 0, scenario, namespace, draft } = channel
  const address = [lab.url, namespace && `lane/${namespace}`, scenario && `fault/${scenario}`]
    .filter(Boolean)
    .join('/')
  const [made] = await admin.call(createChannels, {
    body: {
      type: PROVIDERS[provider],
      name,
      key: 'lab',
      base_url: provider === 'custom' ? `${address}/v1/chat/completions` : address,
      models: models.join(','),
      group: 'default',
      priority,
      ...draft,
    },
  })
  if (!made) throw new Error('expected the channel that was made, found none')
  return made
}

/** Creates a token of the caller, unlimited by default. */
export function addToken(client: AdminClient, draft: Partial<TokenDraft> = {}): Promise<Token> {
  return client.call(createToken, { body: { name: 'test', unlimited_quota: true, ...draft } })
}
