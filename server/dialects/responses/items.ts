import type { JsonObject } from '../../provider-kit/json.ts'
import { type ClientTool, readCustomInput } from './tools.ts'

/** Output items. Their ids differ from the ids of the calls inside them. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export const reasoningItem = (id: string, text: string, signature?: string): JsonObject => ({
  id,
  type: 'reasoning',
  summary: text === '' ? [] : [summaryPart(text)],
  ...(signature !== undefined && { encrypted_content: signature }),
})

export const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text })

export const messageItem = (id: string, status: ItemStatus, parts: readonly JsonObject[]): JsonObject => ({
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

export interface CallFields {
  readonly tool: ClientTool
  readonly callId: string
  /** The arguments of the function that stands for the tool. */
  readonly arguments: string
  readonly extraContent?: JsonObject | undefined
}

/** A call in the form of its tool: JSON arguments for a function, free text for a custom tool. */
export function callItem(id: string, status: ItemStatus, call: CallFields): JsonObject {
  const { kind, name, namespace } = call.tool
  return {
    id,
    type: kind === 'custom' ? 'custom_tool_call' : 'function_call',
    status,
    ...(kind === 'custom' ? { input: readCustomInput(call.arguments) } : { arguments: call.arguments }),
    call_id: call.callId,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(call.extraContent && { extra_content: call.extraContent }),
  }
}
