import type { ChatBody } from '../../provider-kit/chat.ts'
import { estimatePromptSound, estimatePromptTokens } from '../../provider-kit/estimate.ts'
import { chatTexts } from '../../provider-kit/prompt-texts.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import { chatReplies } from './chat-replies.ts'
import { chatDialect, type Operation } from './operation.ts'

export const chat: Operation = {
  ...chatReplies,
  name: 'chat',
  findDialect: client => chatDialect(client.chat),
  findAdapter: (provider: Provider) => provider.chat,
  findNativeAdapter(provider, client, model) {
    const native = provider.native?.[client]
    return native?.serves?.(model) === false ? undefined : native
  },
  inputTokens: (body: ChatBody) => estimatePromptTokens(body),
  inputAudioTokens: (body: ChatBody) => estimatePromptSound(body),
  promptTexts: (body: ChatBody) => chatTexts(body),
}
