import { CLAUDE_RULES } from '../../provider-kit/anthropic-messages/rules.ts'
import type { RuledCall } from '../../provider-kit/rules/chat-rules.ts'
import type { RequestProblem } from '../operation.ts'
import fields from '../request-fields.json'
import { findRuleProblem } from '../rule-problem.ts'
import { isSignatureOf } from '../signatures.ts'

/** The parts of a request that are checked. The caller has verified their types. */
interface CheckedMessages {
  readonly model: string
  readonly messages: readonly ClaudeMessage[]
  readonly max_tokens: number
  readonly stop_sequences?: readonly string[]
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
  readonly tools?: readonly {
    readonly name: string
    readonly input_schema?: Readonly<Record<string, unknown>>
  }[]
  readonly tool_choice?: { readonly type: string; readonly name?: string }
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
}

interface ClaudeMessage {
  readonly role: string
  readonly content: string | readonly ClaudeBlock[]
}

interface ClaudeBlock {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
}

/** Source: platform.claude.com/docs/en/api/messages */
const FIELDS: ReadonlySet<string> = new Set(fields.messages)
const MESSAGE_FIELDS = ['role', 'content']
const SYSTEM_FIELDS = [...MESSAGE_FIELDS, 'clear_at', 'output_config']
const BUDGET_MIN = 1_024

/** What the provider refuses beyond wrong types. */
export const findMessagesProblem = (body: CheckedMessages): RequestProblem | undefined =>
  findUnknownField(body) ??
  findRuleProblem(toRuledBody(body), CLAUDE_RULES) ??
  findToolChoiceProblem(body) ??
  findThinkingProblem(body) ??
  findSignatureProblem(body.messages) ??
  findBlankText(body.messages) ??
  findResultProblem(body.messages)

/** A request as the rules read it. Claude's own tools have no schema. */
const toRuledBody = ({
  model,
  messages,
  tools = [],
  thinking,
  ...fields
}: CheckedMessages): RuledCall['body'] => {
  const { max_tokens, temperature, top_p, top_k, stop_sequences: stop } = fields
  return {
    model,
    max_tokens,
    temperature: temperature ?? null,
    top_p: top_p ?? null,
    top_k: top_k ?? null,
    stop: stop ?? null,
    ...(thinking && thinking.type !== 'disabled' && { reasoning_effort: 'high' }),
    messages: messages
      .flatMap(blocksOf)
      .flatMap(({ type, id, tool_use_id: resultId }) =>
        type === 'tool_use' || type === 'tool_result'
          ? [{ role: 'tool', tool_call_id: id ?? resultId ?? '' }]
          : [],
      ),
    tools: tools.flatMap(({ name, input_schema: parameters }) =>
      parameters ? [{ type: 'function', function: { name, parameters } }] : [],
    ),
  }
}

function findUnknownField(body: CheckedMessages): RequestProblem | undefined {
  const unknown = Object.keys(body).find(name => !FIELDS.has(name))
  if (unknown !== undefined) return { message: `${unknown}: Extra inputs are not permitted` }
  for (const [index, message] of body.messages.entries()) {
    const known = message.role === 'system' ? SYSTEM_FIELDS : MESSAGE_FIELDS
    const extra = Object.keys(message).find(name => !known.includes(name))
    if (extra !== undefined) return { message: `messages.${index}.${extra}: Extra inputs are not permitted` }
  }
  return undefined
}

function findToolChoiceProblem({
  tools = [],
  tool_choice: choice,
}: CheckedMessages): RequestProblem | undefined {
  if (!choice) return undefined
  if (tools.length === 0) return { message: 'tool_choice: may only be specified while providing `tools`.' }
  if (choice.type !== 'tool' || tools.some(({ name }) => name === choice.name)) return undefined
  return { message: `Tool '${choice.name}' not found in provided tools` }
}

function findThinkingProblem(body: CheckedMessages): RequestProblem | undefined {
  const { thinking, tool_choice: choice, max_tokens: limit } = body
  if (!thinking || thinking.type === 'disabled') return undefined
  if (choice?.type === 'any' || choice?.type === 'tool')
    return { message: 'Thinking may not be enabled when tool_choice forces tool use.' }
  if (thinking.type !== 'enabled') return undefined
  const budget = thinking.budget_tokens ?? 0
  if (budget < BUDGET_MIN)
    return {
      message: `thinking.enabled.budget_tokens: Input should be greater than or equal to ${BUDGET_MIN}`,
    }
  if (budget >= limit) return { message: '`max_tokens` must be greater than `thinking.budget_tokens`.' }
  return findMissingThought(body.messages)
}

/** Within a tool loop the turn with the calls begins with its thinking. */
function findMissingThought(messages: readonly ClaudeMessage[]): RequestProblem | undefined {
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const [first, ...others] = blocksOf(messages[index])
  const isLoop = [first, ...others].some(block => block?.type === 'tool_use')
  if (!first || !isLoop || first.type.endsWith('thinking')) return undefined
  return {
    message: `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  }
}

function findBlankText(messages: readonly ClaudeMessage[]): RequestProblem | undefined {
  const isBlank = ({ content }: ClaudeMessage): boolean =>
    typeof content === 'string'
      ? content.trim() === ''
      : content.some(({ type, text }) => type === 'text' && text?.trim() === '')
  return messages.some(isBlank)
    ? { message: 'messages: text content blocks must contain non-whitespace text' }
    : undefined
}

function findSignatureProblem(messages: readonly ClaudeMessage[]): RequestProblem | undefined {
  for (const [index, message] of messages.entries())
    for (const [place, block] of blocksOf(message).entries())
      if (block.type === 'thinking' && !isSignatureOf(block.thinking ?? '', block.signature ?? ''))
        return {
          message: `messages.${index}.content.${place}: Invalid \`signature\` in \`thinking\` block`,
        }
  return undefined
}

/** The results of all calls are in the message after the calls. */
function findResultProblem(messages: readonly ClaudeMessage[]): RequestProblem | undefined {
  let open: ReadonlySet<string> = new Set()
  for (const [index, message] of messages.entries()) {
    const results = blocksOf(message).filter(({ type }) => type === 'tool_result')
    const orphan = results.find(({ tool_use_id: id = '' }) => !open.has(id))
    if (orphan)
      return {
        message: `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      }
    const resultIds = new Set(results.map(({ tool_use_id: id }) => id))
    const missing = [...open].filter(id => !resultIds.has(id))
    if (missing.length > 0) return missingResults(index - 1, missing)
    open = new Set(
      blocksOf(message).flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : [])),
    )
  }
  return open.size > 0 ? missingResults(messages.length - 1, [...open]) : undefined
}

const missingResults = (index: number, ids: readonly string[]): RequestProblem => ({
  message: `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
})

const blocksOf = (message: ClaudeMessage | undefined): readonly ClaudeBlock[] =>
  message === undefined || typeof message.content === 'string' ? [] : message.content
