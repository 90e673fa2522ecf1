import type { ChatBody } from '../../provider-kit/chat.ts'
import type { ClientDialect } from '../../provider-kit/client-dialect.ts'
import { estimatePromptTokens } from '../../provider-kit/estimate.ts'
import type { Operation } from './operation.ts'

/** How many tokens a chat request has. Free, and without a hold; see `count-tokens.ts`. */
export const tokenCount: Operation = {
  name: 'token-count',
  findDialect({ chat: { parse, writeTokenCount } }: ClientDialect) {
    return (
      writeTokenCount && {
        parse: (json, address) => ({ ...parse(json, address), isStream: false }),
        writeReply: (tokens: number) => writeTokenCount(tokens),
      }
    )
  },
  findAdapter: () => undefined,
  findNativeAdapter: (provider, client) => provider.tokenCount?.[client],
  inputTokens: (body: ChatBody) => estimatePromptTokens(body),
  outputTokens: () => 0,
  hasOutput: () => true,
}
