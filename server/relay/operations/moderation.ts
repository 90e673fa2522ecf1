import { estimateTextTokens } from '../../provider-kit/estimate.ts'
import { textOf } from '../../provider-kit/json.ts'
import type { ModerationBody, ModerationReply } from '../../provider-kit/moderation.ts'
import { type Operation, jsonDialect } from './operation.ts'

/** A part of OpenAI's newer form that is a picture. */
const TOKENS_OF_PICTURE = 765

/** Undefined for a part that is a picture. */
const textsOf = ({ input }: ModerationBody): readonly (string | undefined)[] =>
  typeof input === 'string'
    ? [input]
    : input.map(part => (typeof part === 'string' ? part : textOf(part.text)))

export const moderation: Operation = {
  name: 'moderation',
  findDialect: client => jsonDialect(client.moderation),
  findAdapter: provider => provider.moderation,
  inputTokens: (body: ModerationBody) =>
    textsOf(body).reduce<number>(
      (sum, text) => sum + (text === undefined ? TOKENS_OF_PICTURE : estimateTextTokens(text)),
      0,
    ),
  promptTexts: (body: ModerationBody) => textsOf(body).filter(text => text !== undefined),
  outputTokens: () => 0,
  hasOutput: (reply: ModerationReply) => reply.results.length > 0,
}
