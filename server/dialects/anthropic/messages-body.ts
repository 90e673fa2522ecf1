import type { ChatBody, ResponseFormat } from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { omitNullish } from '../../provider-kit/json.ts'
import { withModel } from '../../provider-kit/validation.ts'
import { type MessagesJson, toMessagesJson } from './messages-json.ts'
import { nativeOnlyIn } from './native-only.ts'
import { toChatMessages } from './to-chat-messages.ts'
import { toChatTools } from './to-chat-tools.ts'

/** OpenAI takes no longer name of a user. */
const USER_CHARS_MAX = 64
/** The least budgets of thought that count as these efforts, the largest first. */
const EFFORT_OF_BUDGET: readonly (readonly [tokens: number, effort: string])[] = [
  [8_192, 'high'],
  [2_048, 'medium'],
  [0, 'low'],
]
const HIGHEST_EFFORTS: ReadonlySet<string> = new Set(['max', 'xhigh'])

/** Reads a body of the Messages API. Source: docs.claude.com/en/api/messages */
export function parseMessages(json: unknown, { model: named }: UrlParams = {}): ParsedBody<ChatBody> {
  const sent = toMessagesJson(withModel(json, named))
  const isStream = sent.stream ?? false
  return {
    body: toChatBody(sent, isStream),
    model: sent.model,
    isStream,
    maxOutputTokens: sent.max_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: nativeOnlyIn(sent),
  }
}

function toChatBody(sent: MessagesJson, isStream: boolean): ChatBody {
  const user = sent.metadata?.user_id
  return {
    model: sent.model,
    messages: toChatMessages(sent),
    ...(isStream && { stream: true }),
    ...(sent.max_tokens && { max_tokens: sent.max_tokens }),
    ...toChatTools(sent),
    ...omitNullish({
      temperature: sent.temperature,
      top_p: sent.top_p,
      top_k: sent.top_k,
      stop: sent.stop_sequences?.length ? sent.stop_sequences : undefined,
      reasoning_effort: effortOf(sent),
      response_format: formatOf(sent),
      user: user && user.length <= USER_CHARS_MAX ? user : undefined,
    }),
  }
}

/** The effort that the client names, or the one that its budget of thought comes to. */
function effortOf({ thinking, output_config }: MessagesJson): string | undefined {
  const effort = output_config?.effort ?? undefined
  if (effort !== undefined) return HIGHEST_EFFORTS.has(effort) ? 'high' : effort
  if (thinking?.type !== 'enabled') return undefined
  const budget = thinking.budget_tokens ?? 0
  return EFFORT_OF_BUDGET.find(([least]) => budget >= least)?.[1]
}

function formatOf({ output_config }: MessagesJson): ResponseFormat | undefined {
  const format = output_config?.format
  if (format?.type !== 'json_schema') return undefined
  return { type: 'json_schema', json_schema: { name: 'response', schema: format.schema ?? null } }
}
