import type { Plan } from './plan.ts'
import { sampleOf } from './sample-of.ts'

export interface OfferedTool {
  readonly name: string
  /** JSON schema of its arguments. */
  readonly schema: unknown
}

/** What matters of a request, whatever the vendor. */
export interface Prompt {
  readonly model: string
  /** See `countPrompt`. */
  readonly tokens: number
  readonly maxTokens: number
  readonly tools: readonly OfferedTool[]
  readonly mustCallTool: boolean
  /** The last message is a tool's result: now the model speaks. */
  readonly hasToolResult: boolean
}

export interface LabToolCall {
  readonly index: number
  readonly name: string
  readonly arguments: unknown
  /** The JSON text of the arguments in pieces; each counts as one token. */
  readonly pieces: readonly string[]
}

export interface LabUsage {
  /** All of the prompt, `cached` and `cacheWrite` included. */
  readonly prompt: number
  readonly cached: number
  readonly cacheWrite: number
  /** All of the output, `reasoning` included. */
  readonly output: number
  readonly reasoning: number
}

/** What the lab says, before a vendor's shape is put on it. */
export interface Answer {
  readonly model: string
  readonly reasoningTokens: number
  readonly textTokens: number
  readonly toolCalls: readonly LabToolCall[]
  readonly finish: 'stop' | 'length' | 'tools' | 'filter'
  readonly usage: LabUsage | undefined
  reasoningToken(index: number): string
  textToken(index: number): string
}

const LETTERS_PER_TOKEN = 4
const PICTURE_TOKENS = 85
const TOOL_ARGUMENT_PIECES = 3

const WORDS = words(
  'Hello from the lab 👋 No model thinks here: the same words come every time, at a set pace, counted honestly. 你好，世界。',
)
const THOUGHTS = words('First I look at the question, then at my notes, and then I know what to say.')

function words(sentence: string): readonly string[] {
  return sentence.split(' ').map(word => ` ${word}`)
}

/** The lab's count of a prompt: one, and one for every four letters of text begun, and 85 for a picture or file. */
export const countPrompt = (letters: number, pictures: number): number =>
  1 + Math.ceil(letters / LETTERS_PER_TOKEN) + pictures * PICTURE_TOKENS

function wordAt(list: readonly string[], index: number): string {
  const word = list[index % list.length] ?? ''
  return index === 0 ? word.trimStart() : word
}

export function answerOf(prompt: Prompt, plan: Plan): Answer {
  const toolCalls = callsOf(prompt, plan)
  const wanted = {
    reasoning: plan.reasoningTokens,
    text: toolCalls.length > 0 || plan.isFiltered ? 0 : textTokensOf(plan),
    tools: toolCalls.reduce((sum, call) => sum + call.pieces.length, 0),
  }
  const reasoningTokens = Math.min(wanted.reasoning, prompt.maxTokens)
  const textTokens = Math.min(wanted.text, prompt.maxTokens - reasoningTokens)
  const isCutShort = wanted.reasoning + wanted.text + wanted.tools > prompt.maxTokens
  const keptCalls = isCutShort ? [] : toolCalls
  const output = reasoningTokens + textTokens + (isCutShort ? 0 : wanted.tools)
  return {
    model: prompt.model,
    reasoningTokens,
    textTokens,
    toolCalls: keptCalls,
    finish: finishOf(plan, isCutShort, keptCalls),
    usage: usageOf(prompt, plan, { output, reasoning: reasoningTokens }),
    reasoningToken: index => wordAt(THOUGHTS, index),
    textToken: index =>
      index === 1 && plan.hugeTokenBytes > 0 ? 'x'.repeat(plan.hugeTokenBytes) : wordAt(WORDS, index),
  }
}

/** A bad ending needs a token to happen at. */
const textTokensOf = (plan: Plan): number =>
  Math.max(plan.textTokens, plan.ending ? plan.ending.afterTokens + 1 - plan.reasoningTokens : 0)

function finishOf(plan: Plan, isCutShort: boolean, calls: readonly LabToolCall[]): Answer['finish'] {
  if (isCutShort) return 'length'
  if (plan.isFiltered) return 'filter'
  return calls.length > 0 ? 'tools' : 'stop'
}

function callsOf(prompt: Prompt, plan: Plan): readonly LabToolCall[] {
  if (prompt.tools.length === 0 || prompt.hasToolResult || plan.isFiltered) return []
  const count = Math.max(plan.toolCalls, prompt.mustCallTool ? 1 : 0)
  return Array.from({ length: count }, (_, index) => callOf(prompt, index))
}

function callOf(prompt: Prompt, index: number): LabToolCall {
  const tool = prompt.tools[index % prompt.tools.length]
  const given = sampleOf(tool?.schema)
  return { index, name: tool?.name ?? '', arguments: given, pieces: inPieces(JSON.stringify(given)) }
}

function inPieces(text: string): readonly string[] {
  const size = Math.ceil(text.length / TOOL_ARGUMENT_PIECES)
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => index * size)
  return starts.map(start => text.slice(start, start + size))
}

function usageOf(
  prompt: Prompt,
  plan: Plan,
  used: { readonly output: number; readonly reasoning: number },
): LabUsage | undefined {
  if (plan.usage === 'missing') return undefined
  if (plan.usage === 'zero') return { prompt: 0, cached: 0, cacheWrite: 0, output: 0, reasoning: 0 }
  const cached = Math.min(plan.cachedTokens, prompt.tokens)
  const cacheWrite = Math.min(plan.cacheWriteTokens, prompt.tokens - cached)
  return { prompt: prompt.tokens, cached, cacheWrite, ...used }
}

/** Every token of a kind, joined. */
export const reasoningText = (answer: Answer): string => join(answer.reasoningTokens, answer.reasoningToken)
export const answerText = (answer: Answer): string => join(answer.textTokens, answer.textToken)

function join(count: number, token: (index: number) => string): string {
  let text = ''
  for (let index = 0; index < count; index++) text += token(index)
  return text
}
