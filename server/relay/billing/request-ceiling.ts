import type { Price } from '../../pricing/price.ts'
import type { RelayRequest } from '../types.ts'

/** The most output tokens that the request can cost, over all choices. */
export function largestOutput(
  { maxOutputTokens, choices = 1, operation, inputTokens }: AnswerableRequest,
  { outputTokensMax }: Pick<Price, 'outputTokensMax'>,
): number {
  return maxOutputTokens ?? operation.outputTokensMax?.(inputTokens) ?? outputTokensMax * choices
}

type AnswerableRequest = Pick<RelayRequest, 'maxOutputTokens' | 'choices' | 'operation' | 'inputTokens'>

/** The estimate counts a quarter of a token for each byte, and no tokenizer makes more than one of a byte. */
const TOKENS_PER_ESTIMATED_TOKEN = 4

/** What providers usually add to requests that let them. */
const ADDED_INPUT_TOKENS = 100_000

/** The most input tokens that the request can cost, as far as its content can be measured. */
export const largestInput = ({
  inputTokens,
  isOpenEnded,
  operation,
}: Pick<RelayRequest, 'inputTokens' | 'isOpenEnded' | 'operation'>): number =>
  inputTokens * TOKENS_PER_ESTIMATED_TOKEN +
  (operation.contextTokens ?? 0) +
  (isOpenEnded ? ADDED_INPUT_TOKENS : 0)
