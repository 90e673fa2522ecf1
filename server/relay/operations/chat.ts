import type { ChatBody, ChatChoice, ChatReply } from '../../provider-kit/chat.ts'
import {
  estimatePromptSound,
  estimatePromptTokens,
  estimateReplyTokens,
} from '../../provider-kit/estimate.ts'
import { chatTexts } from '../../provider-kit/prompt-texts.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import { chunksOfReply, openReplyCollector } from '../../provider-kit/reply-chunks.ts'
import { withThinkTags } from '../think-tags.ts'
import { chatDialect, type Operation } from './operation.ts'

const saysSomething = ({ text, reasoning, refusal, toolCalls }: ChatChoice): boolean =>
  Boolean(text || reasoning || refusal || toolCalls?.length)

export const chat: Operation = {
  name: 'chat',
  dialectOf: client => chatDialect(client.chat),
  exchangeOf: (provider: Provider) => provider.chat,
  nativeOf(provider, client, model) {
    const native = provider.native?.[client]
    return native?.serves?.(model) === false ? undefined : native
  },
  inputTokens: (body: ChatBody) => estimatePromptTokens(body),
  inputSound: (body: ChatBody) => estimatePromptSound(body),
  promptTexts: (body: ChatBody) => chatTexts(body),
  outputTokens: (reply: ChatReply) => estimateReplyTokens(reply),
  hasOutput: (reply: ChatReply) => reply.choices.some(saysSomething),
  withThinkTags,
  chunksOf: (reply: ChatReply) => chunksOfReply(reply),
  openCollector: openReplyCollector,
}
