import { chatTexts } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatChoice, ChatReply } from '../../provider-kit/contract/chat.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import {
  estimatePromptAudioTokens,
  estimatePromptTokens,
  estimateReplyTokens,
} from '../../provider-kit/estimate-tokens.ts'
import { createReplyCollector, replyToChunks } from '../../provider-kit/reply-chunks.ts'
import { withThinkTags } from '../response/think-tags.ts'
import type { Operation } from '../types.ts'
import { chatDialect } from './operation-dialect.ts'

const hasContent = ({ text, reasoning, refusal, toolCalls }: ChatChoice): boolean =>
  Boolean(text || reasoning || refusal || toolCalls?.length)

/** The handling of replies in chat's canonical form, for any operation that has them. Must not depend on the request. */
export const chatReplies = {
  outputTokens: (reply: ChatReply) => estimateReplyTokens(reply),
  hasOutput: (reply: ChatReply) => reply.choices.some(hasContent),
  withThinkTags,
  toChunks: (reply: ChatReply) => replyToChunks(reply),
  createCollector: createReplyCollector,
} as const satisfies Partial<Operation>

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
  inputAudioTokens: (body: ChatBody) => estimatePromptAudioTokens(body),
  promptTexts: (body: ChatBody) => chatTexts(body),
}
