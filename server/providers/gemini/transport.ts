import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import type { ToGeminiRequest } from '../../provider-kit/gemini-generate/adapters.ts'
import { withoutThinkingSuffix } from '../../provider-kit/gemini-generate/to-body.ts'

const VERSION_DEFAULT = 'v1beta'

/** Under the API version that the channel's field `other` names. */
export const geminiUrl = ({ channel }: Pick<AdapterCall<unknown>, 'channel'>, path: string): string =>
  `${channel.baseUrl}/${channel.other || VERSION_DEFAULT}/${path}`

/** The key never stands in the address, where it would be logged. */
export const geminiHeaders = ({
  channel,
}: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> => ({
  'x-goog-api-key': channel.key,
  'content-type': 'application/json',
})

export const toGenerateRequest: ToGeminiRequest = (call, body) => {
  const model = encodeURIComponent(withoutThinkingSuffix(call.model))
  const method = call.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    url: geminiUrl(call, `models/${model}:${method}`),
    headers: geminiHeaders(call),
    body: JSON.stringify(body),
  }
}
