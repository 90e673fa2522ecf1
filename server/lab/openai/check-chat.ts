import { COMPATIBLE_RULES, OPENAI_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import type { RequestProblem } from '../operation.ts'
import fields from '../request-fields.json'
import { findRuleProblem } from '../rule-problem.ts'
import { findUnknownField, toolChoiceProblem } from './check-request.ts'

/** The parts of a chat request that are checked. The caller has verified their types. */
interface CheckedChat {
  readonly model: string
  readonly messages: readonly ChatEntry[]
  readonly tools?:
    | readonly {
        readonly function?: { readonly name: string }
        readonly custom?: { readonly name: string }
      }[]
    | null
  readonly tool_choice?: unknown
  readonly parallel_tool_calls?: boolean | null
}

interface ChatEntry {
  readonly role: string
  readonly tool_calls?: readonly { readonly id: string }[] | null
  readonly tool_call_id?: string | null
}

/** Source: platform.openai.com/docs/api-reference/chat/create */
const FIELDS: ReadonlySet<string> = new Set(fields.chat)
/** Makers of other models have a field that switches thinking. */
const THINKING_FIELDS: ReadonlySet<string> = new Set([...fields.chat, 'thinking'])
const IS_OPENAI = /^(?:gpt|o\d|lab)/

/** What the provider refuses beyond wrong types. */
export function findChatProblem(body: CheckedChat): RequestProblem | undefined {
  const isOpenai = IS_OPENAI.test(body.model)
  const names = new Set((body.tools ?? []).map(tool => (tool.function ?? tool.custom)?.name ?? ''))
  return (
    findUnknownField(body, isOpenai ? FIELDS : THINKING_FIELDS) ??
    findRuleProblem(Object(body), isOpenai ? OPENAI_RULES : COMPATIBLE_RULES) ??
    toolChoiceProblem(body, names) ??
    parallelCallsProblem(body) ??
    findResultProblem(body.messages)
  )
}

/** The Responses API accepts the field without tools. */
const parallelCallsProblem = ({
  tools,
  parallel_tool_calls: isParallel,
}: CheckedChat): RequestProblem | undefined =>
  typeof isParallel === 'boolean' && tools?.length === 0
    ? {
        message: "Invalid value for 'parallel_tool_calls': it is only allowed when 'tools' are specified.",
        param: 'parallel_tool_calls',
      }
    : undefined

/** The results of all calls follow the message with the calls. */
function findResultProblem(messages: readonly ChatEntry[]): RequestProblem | undefined {
  let open = new Set<string>()
  for (const [index, { role, tool_calls: calls, tool_call_id: id }] of messages.entries()) {
    if (role === 'tool') {
      if (open.delete(id ?? '')) continue
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: `messages.[${index}].role`,
      }
    }
    if (open.size > 0) return missingResults(open)
    open = new Set((calls ?? []).map(call => call.id))
  }
  return open.size > 0 ? missingResults(open) : undefined
}

const missingResults = (open: ReadonlySet<string>): RequestProblem => ({
  message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
  param: 'messages',
})
