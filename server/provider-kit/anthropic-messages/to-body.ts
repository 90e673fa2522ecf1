import {
  formatInstruction,
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  readFormatSchema,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
} from '../chat-request.ts'
import type { ChatBody, ChatTool, ToolChoice } from '../contract/chat.ts'
import type { AvailableHostedTools, HostedToolName } from '../contract/hosted-tool.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { toObjectSchema } from '../rules/object-schema.ts'
import { toAnthropicHostedTool, toMcpServers } from './hosted-tools.ts'
import {
  asksToThink,
  canThink,
  getModelRules,
  type ModelRules,
  planThinking,
  withoutThinkingSuffix,
} from './thinking.ts'
import { toAnthropicMessages, toAnthropicSystem } from './to-messages.ts'
import { toOutputSchema } from './to-schema.ts'

/** Claude requires a limit. This one applies where the client sets none. */
const MAX_TOKENS_DEFAULT = 8_192

/**
 * Builds a Messages API body. `n`, seeds, penalties and log probabilities have no counterpart and are dropped.
 * Source: docs.claude.com/en/api/messages
 */
export function toAnthropicBody({
  body,
  model: name,
  isStream,
  hostedTools,
}: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const model = withoutThinkingSuffix(name)
  const rules = getModelRules(model)
  const maxTokens = Math.min(readMaxOutputTokens(body) ?? MAX_TOKENS_DEFAULT, rules.outputTokensMax)
  const requested = { hasSuffix: asksToThink(name), effort: body.reasoning_effort ?? undefined, maxTokens }
  const plan = canThink(body, hostedTools) ? planThinking(requested, rules) : undefined
  const schema = readFormatSchema(body)
  const format =
    schema && rules.takesSchema ? { type: 'json_schema', schema: toOutputSchema(schema) } : undefined
  return {
    model,
    max_tokens: plan?.maxTokens ?? maxTokens,
    system: toAnthropicSystem(body, format ? undefined : formatInstruction(body)),
    messages: toAnthropicMessages(body),
    ...toAnthropicTools(body, rules, hostedTools),
    mcp_servers: toMcpServers(hostedTools?.tools),
    ...(plan || !rules.takesSampling ? undefined : toSampling(body, rules)),
    stop_sequences: readStopSequences(body),
    thinking: plan?.thinking,
    output_config: plan?.effort || format ? { effort: plan?.effort, format } : undefined,
    metadata: typeof body.user === 'string' ? { user_id: body.user } : undefined,
    stream: isStream,
  }
}

/** No sampling parameter is allowed while Claude thinks. */
function toSampling(body: ChatBody, rules: ModelRules): JsonObject {
  const temperature = body.temperature ?? undefined
  const isTopPAllowed = temperature === undefined || rules.takesTopPWithTemperature
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: isTopPAllowed ? (body.top_p ?? undefined) : undefined,
    top_k: body.top_k ?? undefined,
  }
}

const EMPTY_SCHEMA: JsonObject = { type: 'object', properties: {} }

/** The tools and the tool choice, where there are tools. */
function toAnthropicTools(
  body: ChatBody,
  rules: ModelRules,
  hosted: AvailableHostedTools | undefined,
): JsonObject {
  const tools = [...declaredTools(body, rules), ...(hosted?.tools ?? []).map(toAnthropicHostedTool)]
  if (tools.length === 0) return {}
  return {
    tools,
    tool_choice: hosted?.forced
      ? toForcedChoice(hosted.forced)
      : toToolChoice(body.tool_choice ?? undefined, body.parallel_tool_calls === false),
  }
}

/** The tools of an MCP server have names of their own. */
const toForcedChoice = (name: HostedToolName): JsonObject =>
  name === 'mcp' ? { type: 'any' } : { type: 'tool', name }

/** Claude requires every tool of the history to be declared, so names that the client left out get an open schema. */
function declaredTools(body: ChatBody, rules: ModelRules): readonly JsonObject[] {
  if (body.tools && body.tools.length > 0) return body.tools.map(tool => toTool(tool, rules))
  const names = body.messages.flatMap(getFunctionCalls).map(call => call.function.name)
  return [...new Set(names)].map(name => ({ name, input_schema: EMPTY_SCHEMA }))
}

/** A tool that is not a function is one of Claude's own and stays unchanged. */
function toTool(tool: ChatTool, rules: ModelRules): JsonObject {
  if (tool.type !== 'function') return tool
  const { name, description, parameters, strict } = getToolFunction(tool)
  const schema = toObjectSchema(parameters ?? EMPTY_SCHEMA)
  const isStrict = strict === true && rules.takesSchema
  return {
    name,
    description,
    input_schema: isStrict ? toOutputSchema(schema) : schema,
    ...(isStrict && { strict }),
    ...(tool.cache_control !== undefined && { cache_control: tool.cache_control }),
  }
}

function toToolChoice(choice: ToolChoice | undefined, isOneAtATime: boolean): JsonObject | undefined {
  const single = isOneAtATime ? { disable_parallel_tool_use: true } : undefined
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any', ...single }
  if (choice === 'auto' || choice === 'validated' || choice === undefined)
    return choice || single ? { type: 'auto', ...single } : undefined
  return { type: 'tool', name: getChosenFunctionName(choice), ...single }
}
