import type {
  ChatBody,
  ChatTool,
  JsonObject,
  ResponseFormat,
  ToolChoice,
} from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { asString, omitNullish } from '../../provider-kit/json.ts'
import { invalidRequest, withModel } from '../../provider-kit/validation.ts'
import { nativeOnlyIn } from './native-only.ts'
import { type ResponseJson, toResponseJson } from './response-json.ts'
import { toChatMessages } from './to-chat-messages.ts'

/** Reads a body of the Responses API. Source: platform.openai.com/docs/api-reference/responses/create */
export function parseResponse(json: unknown, { model: named }: UrlParams = {}): ParsedBody<ChatBody> {
  const sent = toResponseJson(withModel(json, named))
  if (sent.background)
    invalidRequest(
      'background',
      'true',
      'a request that is answered at once: nothing is kept here to be asked for later',
    )
  const isStream = sent.stream ?? false
  return {
    body: { ...toChatBody(sent), ...(isStream && { stream: true }) },
    model: sent.model,
    isStream,
    maxOutputTokens: sent.max_output_tokens || undefined,
    wantsUsage: true,
    nativeOnlyFeature: nativeOnlyIn(sent),
    echoedFields: repeatedOf(sent),
  }
}

/** All but what makes a request long. */
const repeatedOf = ({ input: _, ...repeated }: ResponseJson): JsonObject => repeated

function toChatBody(sent: ResponseJson): ChatBody {
  const tools = (sent.tools ?? []).filter(({ type }) => type === 'function').map(toTool)
  return {
    model: sent.model,
    messages: toChatMessages(sent),
    ...(tools.length > 0 && {
      tools,
      ...omitNullish({
        tool_choice: toToolChoice(sent.tool_choice),
        parallel_tool_calls: sent.parallel_tool_calls,
      }),
    }),
    ...omitNullish({
      max_tokens: sent.max_output_tokens || undefined,
      temperature: sent.temperature,
      top_p: sent.top_p,
      reasoning_effort: sent.reasoning?.effort,
      response_format: toFormat(sent.text?.format),
      user: sent.user,
    }),
  }
}

type ToolJson = NonNullable<ResponseJson['tools']>[number]

const toTool = ({ name = '', description, parameters, strict }: ToolJson): ChatTool => ({
  type: 'function',
  function: { name, ...omitNullish({ description, parameters }), ...(strict && { strict }) },
})

function toToolChoice(choice: ResponseJson['tool_choice']): ToolChoice | undefined {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  return { type: 'function', function: { name: asString(choice.name) ?? '' } }
}

type FormatJson = NonNullable<ResponseJson['text']>['format']

function toFormat(format: FormatJson): ResponseFormat | undefined {
  if (format?.type === 'json_object') return { type: 'json_object' }
  if (format?.type !== 'json_schema') return undefined
  const { name = 'response', schema, strict } = format
  return { type: 'json_schema', json_schema: { name, ...omitNullish({ schema, strict }) } }
}
