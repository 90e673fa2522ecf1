import type { ChatChoice, ChatReply } from '../../provider-kit/chat.ts'
import { estimateReplyTokens } from '../../provider-kit/estimate.ts'
import { chunksOfReply, openReplyCollector } from '../../provider-kit/reply-chunks.ts'
import { withThinkTags } from '../response/think-tags.ts'
import type { Operation } from './operation.ts'

const saysSomething = ({ text, reasoning, refusal, toolCalls }: ChatChoice): boolean =>
  Boolean(text || reasoning || refusal || toolCalls?.length)

/** What is done with replies in chat's canonical form, whatever was asked. Nothing here may look at what was asked. */
export const chatReplies = {
  outputTokens: (reply: ChatReply) => estimateReplyTokens(reply),
  hasOutput: (reply: ChatReply) => reply.choices.some(saysSomething),
  withThinkTags,
  toChunks: (reply: ChatReply) => chunksOfReply(reply),
  createCollector: openReplyCollector,
} as const satisfies Partial<Operation>
