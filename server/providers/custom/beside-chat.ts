import { GatewayError } from '../../core/errors.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleBalance } from '../../provider-kit/openai-compatible/balance.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/operations.ts'
import { versionedUrl } from '../../provider-kit/transport.ts'

const CHAT = '/chat/completions'

/** What the other addresses have in common with the one for chat. Throws a GatewayError where that one is of another form. */
function rootOf(address: string): string {
  if (address.endsWith(CHAT) && !address.includes('{model}')) return address.slice(0, -CHAT.length)
  throw new GatewayError(
    'invalid_request',
    `the channel's address does not end in ${CHAT}, so that no other can be told from it`,
  )
}

export const listModels = openaiCompatibleModelList({
  url: ({ channel }) => versionedUrl(rootOf(channel.baseUrl), '/v1/models'),
})

export const balance: NonNullable<Provider['balance']> = (channel, io) =>
  openaiCompatibleBalance({ ...channel, baseUrl: rootOf(channel.baseUrl) }, io)
