import { ownMessage } from '../../core/language.ts'
import type { ExtraUsage, Usage } from '../../core/usage.ts'
import type {
  ChatChoice,
  ChatChunk,
  ChatReply,
  FinishReason,
  TokenLogprob,
  ToolCall,
} from '../contract/chat.ts'
import type { AdapterCall, AdapterResult, StreamPiece, StreamReader } from '../contract/operation-adapter.ts'
import { parseExact, stringifyExact } from '../exact-numbers.ts'
import { mergeExtras, readGeminiExtras, tokensOf, usageFromTotals, withExtras } from '../extra-usage.ts'
import type { Failure } from '../failures.ts'
import { readJsonEvents } from '../framing/json-events.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject, parseJson } from '../json.ts'
import { readGeminiLogprobs } from '../logprobs.ts'
import { toCallId } from '../openai-compatible/tool-calls.ts'
import { readGeminiError } from './failure.ts'
import { createGroundingReader, readGroundedChoice } from './grounding.ts'

/** The content of one part of a response. */
export interface PartContent {
  readonly text: string
  readonly isImage?: boolean
  readonly reasoning: string
  readonly functionCall?: FunctionCall
  /** A call of a hosted tool, or its result, which belongs to the history of a function call. */
  readonly record?: JsonObject
}

interface FunctionCall {
  readonly call: JsonObject
  readonly signature: string | undefined
}

/** One choice of a response. */
export interface Candidate {
  readonly choice: number
  readonly parts: readonly PartContent[]
  /** The provider's finish reason. Undefined while the response continues. */
  readonly finishReason: string | undefined
  readonly grounding: unknown
  readonly logprobs: readonly TokenLogprob[] | undefined
}

/** The candidates of a response or of an event. */
export const readCandidates = (json: JsonObject): readonly Candidate[] =>
  asArray(json.candidates).map(value => {
    const candidate = asObject(value)
    return {
      choice: asCount(candidate.index),
      parts: asArray(asObject(candidate.content).parts).map(part => readPart(asObject(part))),
      finishReason: asString(candidate.finishReason),
      grounding: candidate.groundingMetadata,
      logprobs: readGeminiLogprobs(candidate.logprobsResult),
    }
  })

function readPart(part: JsonObject): PartContent {
  if (isObject(part.functionCall)) {
    const signature = asString(part.thoughtSignature)
    return { text: '', reasoning: '', functionCall: { call: part.functionCall, signature } }
  }
  if (isObject(part.toolCall) || isObject(part.toolResponse)) return { text: '', reasoning: '', record: part }
  const text = asString(part.text) ?? toMarkdown(part)
  if (part.thought === true) return { text: '', reasoning: text }
  return isImage(part.inlineData) ? { text, reasoning: '', isImage: true } : { text, reasoning: '' }
}

/** Executed code, its result and images have no canonical form, so they become Markdown. */
function toMarkdown({ executableCode, codeExecutionResult, inlineData }: JsonObject): string {
  if (isObject(executableCode))
    return fenced(String(executableCode.language ?? '').toLowerCase(), executableCode.code)
  if (isObject(codeExecutionResult)) return fenced('output', codeExecutionResult.output)
  if (isObject(inlineData)) return `![image](data:${inlineData.mimeType};base64,${inlineData.data})`
  return ''
}

const isImage = (data: unknown): boolean => asString(asObject(data).mimeType)?.startsWith('image/') === true

const hasImagePart = ({ parts }: Candidate): boolean => parts.some(({ isImage }) => isImage)

const fenced = (language: string, content: unknown): string =>
  `\n\`\`\`${language}\n${(asString(content) ?? '').trimEnd()}\n\`\`\`\n`

/**
 * Most responses give calls no id. The generated one starts with the request id, so that it is unique within a
 * conversation. `records` are those of the hosted tools that ran before.
 */
export function toToolCall(
  { call, signature }: FunctionCall,
  id: string,
  records: readonly JsonObject[] = [],
): ToolCall {
  const google = {
    ...(signature && { thought_signature: signature }),
    ...(records.length > 0 && { tool_parts: records }),
  }
  return {
    id: asString(call.id) || id,
    type: 'function',
    function: { name: asString(call.name) ?? '', arguments: stringifyExact(call.args ?? {}) },
    ...(Object.keys(google).length > 0 && { extra_content: { google } }),
  }
}

const REGULAR: ReadonlySet<string> = new Set(['STOP', 'CONTINUATION', 'FINISH_REASON_UNSPECIFIED'])
const LIMITS: ReadonlySet<string> = new Set(['MAX_TOKENS', 'TOO_MANY_TOOL_CALLS'])
const BROKEN_CALLS: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])

/** Gemini has no finish reason for tool calls. All others, and those that it adds, say why the model may not go on. */
export function readFinish(reason: string, hasCalls: boolean): FinishReason {
  if (LIMITS.has(reason)) return 'length'
  if (!REGULAR.has(reason)) return 'content_filter'
  return hasCalls ? 'tool_calls' : 'stop'
}

/** How a blocked prompt is reported: as a failure of the channel, or as a response that the client reads itself. */
export type BlockHandling = 'fail' | 'forward'

/** Why the provider blocked the prompt. */
export const readBlockReason = (json: JsonObject): string | undefined =>
  asString(asObject(json.promptFeedback).blockReason)

/** The failure of a blocked prompt or of a malformed model response. */
export function readBlockedFailure(json: JsonObject, candidates: readonly Candidate[]): Failure | undefined {
  const reason = readBlockReason(json)
  if (candidates.length === 0 && reason)
    return {
      status: 400,
      code: 'content_filter',
      ...ownMessage({ zh: `提示词被拦截：${reason}`, en: `the prompt was blocked: ${reason}` }),
      isRetryable: false,
    }
  const broken = candidates.find(({ finishReason }) => BROKEN_CALLS.has(finishReason ?? ''))?.finishReason
  if (broken === undefined) return undefined
  return {
    status: 502,
    code: broken.toLowerCase(),
    ...ownMessage({
      zh: '模型生成的函数调用无法读取',
      en: 'the model made a function call that cannot be read',
    }),
  }
}

/**
 * Reads `usageMetadata`. Thinking tokens are reported next to the candidates' tokens, cached tokens inside the
 * prompt's. `hasImage`: output of which the provider does not tell the modalities holds an image.
 */
export function readGeminiUsage(json: unknown, hasImage = false): Usage | undefined {
  if (!isObject(json)) return undefined
  const reasoning = asCount(json.thoughtsTokenCount)
  const made = asCount(json.candidatesTokenCount)
  const hasDetails = asArray(json.candidatesTokensDetails).length > 0
  const sent = (modality: 'AUDIO' | 'IMAGE'): number =>
    tokensOf(json.promptTokensDetails, modality) + tokensOf(json.toolUsePromptTokensDetails, modality)
  return usageFromTotals({
    prompt: asCount(json.promptTokenCount) + asCount(json.toolUsePromptTokenCount),
    cachedInput: asCount(json.cachedContentTokenCount),
    cachedAudio: tokensOf(json.cacheTokensDetails, 'AUDIO'),
    cachedImage: tokensOf(json.cacheTokensDetails, 'IMAGE'),
    audioInput: sent('AUDIO'),
    imageInput: sent('IMAGE'),
    completion: made + reasoning,
    reasoning,
    audioOutput: tokensOf(json.candidatesTokensDetails, 'AUDIO'),
    imageOutput: hasDetails ? tokensOf(json.candidatesTokensDetails, 'IMAGE') : hasImage ? made : 0,
  })
}

/** Reads a complete `generateContent` response. */
export function readReply(
  json: unknown,
  { requestId }: Pick<AdapterCall<unknown>, 'requestId'>,
  blockHandling: BlockHandling = 'fail',
): AdapterResult<ChatReply> {
  if (!isObject(json) || json.error) return { kind: 'failure', failure: readGeminiError(json) }
  const candidates = readCandidates(json)
  const isForwarded = blockHandling === 'forward'
  const blocked = isForwarded ? undefined : readBlockedFailure(json, candidates)
  if (blocked) return { kind: 'failure', failure: blocked }
  if (candidates.length === 0 && !(isForwarded && readBlockReason(json)))
    return { kind: 'failure', failure: readGeminiError(json) }
  const choices = candidates.map(candidate => toChoice(candidate, requestId))
  const reply = { id: asString(json.responseId), model: asString(json.modelVersion), choices }
  const usage = withExtras(
    readGeminiUsage(json.usageMetadata, candidates.some(hasImagePart)),
    readGeminiExtras(json),
  )
  return { kind: 'reply', reply, usage }
}

function toChoice(candidate: Candidate, requestId: string): ChatChoice {
  const { choice, parts, finishReason, grounding, logprobs } = candidate
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  const records = readRecords(parts)
  const toolCalls = calls.map((call, index) =>
    toToolCall(call, toCallId(requestId, choice, index), index === 0 ? records : []),
  )
  const text = parts.map(part => part.text).join('')
  return {
    text,
    reasoning: parts.map(({ reasoning }) => reasoning).join('') || undefined,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    ...(grounding !== undefined && readGroundedChoice(grounding, text)),
    ...(logprobs && { logprobs }),
    finish: readFinish(finishReason ?? 'STOP', calls.length > 0),
  }
}

const readRecords = (parts: readonly PartContent[]): readonly JsonObject[] =>
  parts.flatMap(({ record }) => (record ? [record] : [])).slice(0, RECORDS_MAX)

/** Calls of hosted tools and their results that are kept of one choice. */
const RECORDS_MAX = 64

type GeminiPieces = readonly StreamPiece<ChatChunk>[]
const NO_PIECES: GeminiPieces = []

/** An event may be a list of one. Numbers in calls stay as they are written. */
function parseChunk(data: string): unknown {
  const parsed = data.includes('functionCall') ? parseExact(data) : parseJson(data)
  return Array.isArray(parsed) ? parsed[0] : parsed
}

/** Reads a stream of partial responses. Every event has usage, and the last one counts. There is no end marker. */
export function createGeminiStreamReader(
  { requestId, hostedTools }: Pick<AdapterCall<unknown>, 'requestId' | 'hostedTools'>,
  blockHandling: BlockHandling = 'fail',
): StreamReader<ChatChunk> {
  const groundings = hostedTools ? createGroundingReader() : undefined
  const callCountByChoice = new Map<number, number>()
  const recordsByChoice = new Map<number, readonly JsonObject[]>()
  let hasImage = false
  let usage: Usage | undefined
  let extras: ExtraUsage | undefined
  let isStarted = false
  let isComplete = false

  const toPieces = ({ text, reasoning, functionCall }: PartContent, choice: number): GeminiPieces => {
    if (!functionCall) return textPieces(text, reasoning, choice)
    const index = callCountByChoice.get(choice) ?? 0
    callCountByChoice.set(choice, index + 1)
    const records = index === 0 ? recordsByChoice.get(choice) : undefined
    const call = toToolCall(functionCall, toCallId(requestId, choice, index), records)
    const { name, arguments: args } = call.function
    const extraContent = call.extra_content
    return [{ type: 'tool-call-start', index, id: call.id, name, arguments: args, extraContent, choice }]
  }

  const readCandidate = (candidate: Candidate): GeminiPieces => {
    const { choice, parts, finishReason, grounding, logprobs } = candidate
    keepRecords(recordsByChoice, choice, parts)
    const pieces = [...parts.flatMap(part => toPieces(part, choice))]
    if (logprobs) addLogprobs(pieces, logprobs)
    for (const { text } of parts) groundings?.add(choice, text)
    if (!finishReason) return pieces
    if (groundings && grounding !== undefined) pieces.push(...groundings.end(choice, grounding))
    isComplete = true
    return [
      ...pieces,
      { type: 'finish', reason: readFinish(finishReason, callCountByChoice.has(choice)), choice },
    ]
  }

  const readBlocked = (): GeminiPieces => {
    isComplete = true
    return [{ type: 'finish', reason: 'content_filter' }]
  }

  const readChunk = (json: JsonObject): GeminiPieces => {
    const candidates = readCandidates(json)
    const isForwarded = blockHandling === 'forward'
    const blocked = isForwarded ? undefined : readBlockedFailure(json, candidates)
    const failure = json.error ? readGeminiError(json) : blocked
    if (failure) return [{ type: 'failure', failure }]
    hasImage ||= candidates.some(hasImagePart)
    usage = readGeminiUsage(json.usageMetadata, hasImage) ?? usage
    extras = mergeExtras(extras, readGeminiExtras(json))
    const pieces = isForwarded && readBlockReason(json) ? readBlocked() : candidates.flatMap(readCandidate)
    if (isStarted) return pieces
    isStarted = true
    return [{ type: 'start', id: asString(json.responseId), model: asString(json.modelVersion) }, ...pieces]
  }

  return {
    read: readJsonEvents(readChunk, parseChunk),
    end: () => ({ chunks: NO_PIECES, usage: withExtras(usage, extras), isComplete }),
  }
}

/** The figures belong to the text of the event, which is its first piece of text. */
function addLogprobs(pieces: StreamPiece<ChatChunk>[], logprobs: readonly TokenLogprob[]): void {
  const place = pieces.findIndex(({ type }) => type === 'text-delta')
  const piece = pieces[place]
  if (piece?.type === 'text-delta') pieces[place] = { ...piece, logprobs }
}

function keepRecords(
  recordsByChoice: Map<number, readonly JsonObject[]>,
  choice: number,
  parts: readonly PartContent[],
): void {
  const records = readRecords(parts)
  if (records.length === 0) return
  recordsByChoice.set(choice, [...(recordsByChoice.get(choice) ?? []), ...records].slice(0, RECORDS_MAX))
}

function textPieces(text: string, reasoning: string, choice: number): GeminiPieces {
  if (reasoning) return [{ type: 'reasoning-delta', text: reasoning, choice }]
  return text ? [{ type: 'text-delta', text, choice }] : NO_PIECES
}
