import type { ChatBody, ChatTool, ToolChoice } from '../../provider-kit/contract/chat.ts'
import type { MessagesJson, ToolJson } from './messages-json.ts'

type Tools = Pick<ChatBody, 'tools' | 'tool_choice' | 'parallel_tool_calls'>

/** The tools of the client's own, and the choice among them where there are any. */
export function toChatTools({ tools, tool_choice: choice }: MessagesJson): Tools {
  const own = tools?.filter(({ type }) => !type || type === 'custom') ?? []
  if (own.length === 0) return {}
  return {
    tools: own.map(toTool),
    ...(choice && { tool_choice: toToolChoice(choice) }),
    ...(choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
  }
}

const toTool = ({ name = '', description, input_schema, strict, cache_control }: ToolJson): ChatTool => ({
  type: 'function',
  function: {
    name,
    ...(description !== undefined && { description }),
    ...(input_schema && { parameters: input_schema }),
    ...(strict && { strict }),
  },
  ...(cache_control && { cache_control }),
})

const CHOICE_OF = { auto: 'auto', any: 'required', none: 'none' } as const

const toToolChoice = ({ type, name = '' }: NonNullable<MessagesJson['tool_choice']>): ToolChoice =>
  type === 'tool' ? { type: 'function', function: { name } } : CHOICE_OF[type]
