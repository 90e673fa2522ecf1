import type { FinishReason, JsonObject } from '../../provider-kit/contract/chat.ts'

/** How an answer's items look. Their ids differ from those of the calls inside them. */
export type Status = 'in_progress' | 'completed' | 'incomplete'

export const reasoningItem = (id: string, text: string, signature?: string): JsonObject => ({
  id,
  type: 'reasoning',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  ...(signature !== undefined && { encrypted_content: signature }),
})

export const messageItem = (id: string, status: Status, parts: readonly JsonObject[]): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: parts,
})

export const textPart = (text: string): JsonObject => ({
  type: 'output_text',
  annotations: [],
  logprobs: [],
  text,
})

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

export interface CallText {
  readonly callId: string
  readonly name: string
  readonly arguments: string
  readonly extraContent?: JsonObject | undefined
}

export const callItem = (id: string, status: Status, call: CallText): JsonObject => ({
  id,
  type: 'function_call',
  status,
  arguments: call.arguments,
  call_id: call.callId,
  name: call.name,
  ...(call.extraContent && { extra_content: call.extraContent }),
})

export const statusOf = (finish: FinishReason): Status =>
  finish === 'length' || finish === 'content_filter' ? 'incomplete' : 'completed'

/** Why an answer is not complete. */
export const incompleteDetails = (finish: FinishReason): JsonObject | null => {
  if (finish === 'length') return { reason: 'max_output_tokens' }
  return finish === 'content_filter' ? { reason: 'content_filter' } : null
}
