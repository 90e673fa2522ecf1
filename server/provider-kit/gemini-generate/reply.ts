import type { ChatChoice, ChatReply } from '../chat.ts'
import type { Call, Replied } from '../exchange.ts'
import { isObject, textOf } from '../json.ts'
import { readHiddenFailure } from '../read-failure.ts'
import {
  blockReasonIn,
  type Candidate,
  type Refusals,
  readCandidates,
  readFinish,
  refusalOf,
  toToolCall,
} from './parts.ts'
import { readGeminiUsage } from './usage.ts'

export function readReply(
  json: unknown,
  { requestId }: Pick<Call<unknown>, 'requestId'>,
  refusals: Refusals = 'failures',
): Replied<ChatReply> {
  if (!isObject(json) || json.error) return { kind: 'failure', failure: readHiddenFailure(json) }
  const candidates = readCandidates(json)
  const isTold = refusals === 'told'
  const refusal = isTold ? undefined : refusalOf(json, candidates)
  if (refusal) return { kind: 'failure', failure: refusal }
  if (candidates.length === 0 && !(isTold && blockReasonIn(json)))
    return { kind: 'failure', failure: readHiddenFailure(json) }
  const choices = candidates.map(candidate => toChoice(candidate, requestId))
  const reply = { id: textOf(json.responseId), model: textOf(json.modelVersion), choices }
  return { kind: 'reply', reply, usage: readGeminiUsage(json.usageMetadata) }
}

function toChoice({ choice, parts, finishReason }: Candidate, requestId: string): ChatChoice {
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  const toolCalls = calls.map((call, index) => toToolCall(call, toCallId(requestId, choice, index)))
  return {
    text: parts.map(({ text }) => text).join(''),
    reasoning: parts.map(({ reasoning }) => reasoning).join('') || undefined,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    finish: readFinish(finishReason ?? 'STOP', calls.length > 0),
  }
}

export const toCallId = (requestId: string, choice: number, index: number): string =>
  `call_${requestId}_${choice}_${index}`
