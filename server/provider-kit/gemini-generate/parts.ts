import type { FinishReason, JsonObject, ToolCall } from '../chat.ts'
import type { Failure } from '../failure.ts'
import { countOf, isObject, listOf, objectOf, textOf } from '../json.ts'

/** What one part of an answer says. */
export interface PartContent {
  readonly text: string
  readonly reasoning: string
  readonly functionCall?: { readonly call: JsonObject; readonly signature: string | undefined }
}

export interface Candidate {
  readonly choice: number
  readonly parts: readonly PartContent[]
  /** The vendor's word for the end. Undefined while the answer goes on. */
  readonly finishReason: string | undefined
}

export const readCandidates = (json: JsonObject): readonly Candidate[] =>
  listOf(json.candidates).map(value => {
    const candidate = objectOf(value)
    return {
      choice: countOf(candidate.index),
      parts: listOf(objectOf(candidate.content).parts).map(part => readPart(objectOf(part))),
      finishReason: textOf(candidate.finishReason),
    }
  })

function readPart(part: JsonObject): PartContent {
  if (isObject(part.functionCall)) {
    const signature = textOf(part.thoughtSignature)
    return { text: '', reasoning: '', functionCall: { call: part.functionCall, signature } }
  }
  const text = textOf(part.text) ?? toMarkdown(part)
  return part.thought === true ? { text: '', reasoning: text } : { text, reasoning: '' }
}

/** Code, its result and pictures have no place of their own in the canonical form. */
function toMarkdown({ executableCode, codeExecutionResult, inlineData }: JsonObject): string {
  if (isObject(executableCode))
    return fenced(String(executableCode.language ?? '').toLowerCase(), executableCode.code)
  if (isObject(codeExecutionResult)) return fenced('output', codeExecutionResult.output)
  if (isObject(inlineData)) return `![image](data:${inlineData.mimeType};base64,${inlineData.data})`
  return ''
}

const fenced = (language: string, content: unknown): string =>
  `\n\`\`\`${language}\n${(textOf(content) ?? '').trimEnd()}\n\`\`\`\n`

/** Most answers give calls no id; one is made from the request's, so that it is unique over a conversation. */
export function toToolCall(
  { call, signature }: NonNullable<PartContent['functionCall']>,
  id: string,
): ToolCall {
  return {
    id: textOf(call.id) || id,
    type: 'function',
    function: { name: textOf(call.name) ?? '', arguments: JSON.stringify(call.args ?? {}) },
    ...(signature && { extra_content: { google: { thought_signature: signature } } }),
  }
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  OTHER: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
}
const BROKEN_CALLS: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])

/** Gemini has no word of its own for an answer that ends in calls. */
export const readFinish = (reason: string, hasCalls: boolean): FinishReason =>
  FINISH_OF[reason] ?? (hasCalls ? 'tool_calls' : 'stop')

/** How a refusal is taken: as a failure of the channel, or as an answer that is told to the client as it is. */
export type Refusals = 'failures' | 'told'

/** Why the vendor will not answer the prompt. */
export const blockReasonIn = (json: JsonObject): string | undefined =>
  textOf(objectOf(json.promptFeedback).blockReason)

/** The model's own mistake, or a prompt that the vendor will not answer. */
export function refusalOf(json: JsonObject, candidates: readonly Candidate[]): Failure | undefined {
  const reason = blockReasonIn(json)
  if (candidates.length === 0 && reason)
    return {
      status: 400,
      code: 'content_filter',
      message: `the prompt was blocked: ${reason}`,
      isRetryable: false,
    }
  const broken = candidates.find(({ finishReason }) => BROKEN_CALLS.has(finishReason ?? ''))?.finishReason
  if (broken === undefined) return undefined
  return {
    status: 502,
    code: broken.toLowerCase(),
    message: 'the model made a function call that cannot be read',
  }
}
