import { z } from 'zod'
import { ownEntry } from '../core/json/json.ts'
import type { FaultPlan, PlaybookCall } from './fault-plan.ts'
import type { OfferedTool, PlaybookPosition } from './playbook-request.ts'
import { findCalledTool } from './playbooks.ts'

/** The parts of a request that determine the completion, independent of the provider. */
export interface Prompt {
  readonly model: string
  /** Identifies the request, so that ids differ between the turns of a conversation. */
  readonly id: string
  /** Counted by `countPrompt`. */
  readonly tokens: number
  readonly maxTokens: number
  readonly tools: readonly OfferedTool[]
  readonly mustCallTool: boolean
  /** Whether the provider thinks before it calls a tool. */
  readonly mustThink?: boolean
  /** Whether the client allows a single call at a time. */
  readonly isSequential?: boolean
  /** Whether the last message is a tool result, after which the model responds with text. */
  readonly hasToolResult: boolean
  /** Absent when the conversation asks for none. */
  readonly playbook?: PlaybookPosition | undefined
}

export interface LabToolCall {
  readonly index: number
  /** Without the prefix of the provider. */
  readonly id: string
  readonly name: string
  readonly tool: OfferedTool | undefined
  readonly arguments: unknown
  /** The arguments as JSON, split into pieces. Each piece counts as one token. */
  readonly pieces: readonly string[]
}

export interface LabUsage {
  /** Includes `cached` and `cacheWrite`. */
  readonly prompt: number
  readonly cached: number
  readonly cacheWrite: number
  /** Includes `reasoning`. */
  readonly output: number
  readonly reasoning: number
}

/** A completion before it is converted to a provider's format. */
export interface LabCompletion {
  readonly model: string
  readonly id: string
  readonly isDeclined: boolean
  readonly isInterleaved: boolean
  readonly reasoningTokens: number
  readonly textTokens: number
  readonly toolCalls: readonly LabToolCall[]
  readonly finish: 'stop' | 'length' | 'tools' | 'filter'
  readonly usage: LabUsage | undefined
  reasoningToken(index: number): string
  textToken(index: number): string
}

const CHARS_PER_TOKEN = 4
const IMAGE_TOKENS = 85
const TOOL_ARGUMENT_PIECES = 3
const THOUGHT_TOKENS = 4

const WORDS = words(
  'Hello from the lab 👋 No model thinks here: the same words come every time, at a set pace, counted honestly. 你好，世界。',
)
const THOUGHTS = words('First I look at the question, then at my notes, and then I know what to say.')

function words(sentence: string): readonly string[] {
  return sentence.split(' ').map(word => ` ${word}`)
}

/** The same for equal requests. */
export const requestId = (body: unknown): string => Bun.hash(JSON.stringify(body)).toString(36)

/** Counts the tokens of a prompt: 1, plus 1 for each 4 characters of text (rounded up), plus 85 for each image or file. */
export const countPrompt = (chars: number, images: number): number =>
  1 + Math.ceil(chars / CHARS_PER_TOKEN) + images * IMAGE_TOKENS

/** Creates the completion that the lab returns for a prompt. Equal prompts and plans give equal completions. */
export function createCompletion(prompt: Prompt, faultPlan: FaultPlan): LabCompletion {
  const toolCalls = listToolCalls(prompt, faultPlan)
  const words = splitWords(faultPlan.playbook?.text)
  const requested = {
    reasoning: Math.max(
      faultPlan.reasoningTokens,
      prompt.mustThink && toolCalls.length > 0 ? THOUGHT_TOKENS : 0,
    ),
    text: countRequestedText(faultPlan, words, toolCalls),
    tools: toolCalls.reduce((sum, call) => sum + call.pieces.length, 0),
  }
  const reasoningTokens = Math.min(requested.reasoning, prompt.maxTokens)
  const textTokens = Math.min(requested.text, prompt.maxTokens - reasoningTokens)
  const isCutShort = requested.reasoning + requested.text + requested.tools > prompt.maxTokens
  const keptCalls = isCutShort ? [] : toolCalls
  const output = reasoningTokens + textTokens + (isCutShort ? 0 : requested.tools)
  return {
    model: prompt.model,
    id: prompt.id,
    isDeclined: faultPlan.isDeclined,
    isInterleaved: faultPlan.isInterleaved,
    reasoningTokens,
    textTokens,
    toolCalls: keptCalls,
    finish: finishReason(faultPlan, isCutShort, keptCalls),
    usage: createUsage(prompt, faultPlan, { output, reasoning: reasoningTokens }),
    reasoningToken: index => wordAt(THOUGHTS, index),
    textToken: index =>
      index === 1 && faultPlan.hugeTokenBytes > 0
        ? 'x'.repeat(faultPlan.hugeTokenBytes)
        : wordAt(words ?? WORDS, index),
  }
}

function wordAt(list: readonly string[], index: number): string {
  const word = list[index % list.length] ?? ''
  return index === 0 ? word.trimStart() : word
}

/** All reasoning tokens, joined. */
export const reasoningText = (completion: LabCompletion): string =>
  joinTokens(completion.reasoningTokens, completion.reasoningToken)

/** All text tokens, joined. */
export const completionText = (completion: LabCompletion): string =>
  joinTokens(completion.textTokens, completion.textToken)

function joinTokens(count: number, token: (index: number) => string): string {
  let text = ''
  for (let index = 0; index < count; index++) text += token(index)
  return text
}

/** A playbook may say something before it calls a tool. */
function countRequestedText(
  faultPlan: FaultPlan,
  words: readonly string[] | undefined,
  calls: readonly LabToolCall[],
): number {
  if (faultPlan.isFiltered) return 0
  if (words) return words.length
  return calls.length > 0 ? 0 : countTextTokens(faultPlan)
}

const splitWords = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [])

/** A bad ending happens at a token, so there must be enough of them. */
const countTextTokens = (faultPlan: FaultPlan): number =>
  Math.max(
    faultPlan.textTokens,
    faultPlan.ending ? faultPlan.ending.afterTokens + 1 - faultPlan.reasoningTokens : 0,
  )

function finishReason(
  faultPlan: FaultPlan,
  isCutShort: boolean,
  calls: readonly LabToolCall[],
): LabCompletion['finish'] {
  if (isCutShort) return 'length'
  if (faultPlan.isFiltered) return 'filter'
  return calls.length > 0 ? 'tools' : 'stop'
}

/** A client that forces a call gets one even where the playbook has none. */
function listToolCalls(prompt: Prompt, faultPlan: FaultPlan): readonly LabToolCall[] {
  const { playbook } = faultPlan
  if (!playbook || (prompt.mustCallTool && playbook.calls.length === 0))
    return createToolCalls(prompt, faultPlan)
  const calls = prompt.isSequential ? playbook.calls.slice(0, 1) : playbook.calls
  return calls.map((call, index) => createPlaybookCall(prompt, call, index))
}

function createPlaybookCall(prompt: Prompt, call: PlaybookCall, index: number): LabToolCall {
  const tool = findCalledTool(prompt.tools, call)
  const values = call.arguments ?? {}
  const text = typeof values === 'string' ? values : JSON.stringify(values)
  return {
    index,
    id: `lab_${prompt.id}_${index}`,
    name: tool?.name ?? call.tool,
    tool,
    arguments: values,
    pieces: splitArguments(text),
  }
}

function createToolCalls(prompt: Prompt, faultPlan: FaultPlan): readonly LabToolCall[] {
  if (prompt.tools.length === 0 || prompt.hasToolResult || faultPlan.isFiltered) return []
  const callCount = Math.max(faultPlan.toolCalls, prompt.mustCallTool ? 1 : 0)
  const count = prompt.isSequential ? Math.min(callCount, 1) : callCount
  return Array.from({ length: count }, (_, index) => createToolCall(prompt, index))
}

function createToolCall(prompt: Prompt, index: number): LabToolCall {
  const tool = prompt.tools[index % prompt.tools.length]
  const values = tool?.isCustom ? CUSTOM_INPUT : sampleValue(tool?.schema)
  const text = tool?.isCustom ? CUSTOM_INPUT : JSON.stringify(values)
  return {
    index,
    id: `lab_${prompt.id}_${index}`,
    name: tool?.name ?? '',
    tool,
    arguments: values,
    pieces: splitArguments(text),
  }
}

/** The input of every call of a tool that takes free text. */
const CUSTOM_INPUT = 'Lisbon "now"'

function splitArguments(text: string): readonly string[] {
  const size = Math.ceil(text.length / TOOL_ARGUMENT_PIECES)
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => index * size)
  return starts.map(start => text.slice(start, start + size))
}

function createUsage(
  prompt: Prompt,
  faultPlan: FaultPlan,
  output: { readonly output: number; readonly reasoning: number },
): LabUsage | undefined {
  if (faultPlan.usage === 'missing') return undefined
  if (faultPlan.usage === 'zero') return { prompt: 0, cached: 0, cacheWrite: 0, output: 0, reasoning: 0 }
  const cached = Math.min(faultPlan.cachedTokens, prompt.tokens)
  const cacheWrite = Math.min(faultPlan.cacheWriteTokens, prompt.tokens - cached)
  return { prompt: prompt.tokens, cached, cacheWrite, ...output }
}

const SCHEMA_DEPTH_MAX = 8

const Schema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
})

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'Lisbon',
  number: 21,
  integer: 21,
  boolean: true,
  null: null,
}

/** Creates a value for a simple JSON schema: the first value of an enum, all properties of an object, one item of an array. */
function sampleValue(schema: unknown, depth = 0): unknown {
  const { data } = Schema.safeParse(schema)
  if (!data || depth > SCHEMA_DEPTH_MAX) return {}
  if (data.enum && data.enum.length > 0) return data.enum[0]
  const type = String(Array.isArray(data.type) ? data.type[0] : (data.type ?? 'object')).toLowerCase()
  if (type === 'array') return [sampleValue(data.items, depth + 1)]
  if (type !== 'object') return ownEntry(SAMPLES, type) ?? null
  return Object.fromEntries(
    Object.entries(data.properties ?? {}).map(([name, property]) => [name, sampleValue(property, depth + 1)]),
  )
}
