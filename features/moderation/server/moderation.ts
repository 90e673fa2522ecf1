import type { ModerationBody, ModerationReply } from '#server/provider-kit/contract/operations.ts'
import { estimateTextTokens } from '#server/provider-kit/estimate-tokens.ts'
import { asString } from '#server/provider-kit/json.ts'
import { jsonDialect } from '#server/relay/operations/simple-operations.ts'
import type { ModelOperation } from '#server/relay/types.ts'

const TOKENS_PER_IMAGE = 765

/** Undefined for a part that is an image. */
const moderatedTexts = ({ input }: ModerationBody): readonly (string | undefined)[] =>
  typeof input === 'string'
    ? [input]
    : input.map(part => (typeof part === 'string' ? part : asString(part.text)))

export const moderation: ModelOperation = {
  name: 'moderation',
  findDialect: client => jsonDialect(client.moderation),
  findAdapter: provider => provider.moderation,
  inputTokens: (body: ModerationBody) =>
    moderatedTexts(body).reduce<number>(
      (sum, text) => sum + (text === undefined ? TOKENS_PER_IMAGE : estimateTextTokens(text)),
      0,
    ),
  outputTokens: () => 0,
  hasOutput: (reply: ModerationReply) => reply.results.length > 0,
}
