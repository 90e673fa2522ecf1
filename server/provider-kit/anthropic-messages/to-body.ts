import {
  formatInstruction,
  getChosenFunctionName,
  getFunctionCalls,
  getToolFunction,
  readFormatSchema,
  readStopSequences,
  rejectLegacyFunctions,
} from '../chat-request.ts'
import type { ChatBody, ChatTool, ToolChoice } from '../contract/chat.ts'
import type { AvailableHostedTools, HostedToolName } from '../contract/hosted-tool.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { toAnthropicHostedTool, toMcpServers } from './hosted-tools.ts'
import {
  getModelRules,
  type ModelRules,
  outputLimitOf,
  thinkingOf,
  withoutThinkingSuffix,
} from './thinking.ts'
import { toAnthropicMessages, toAnthropicSystem } from './to-messages.ts'
import { toOutputSchema } from './to-schema.ts'

/** Claude requires a limit. This one applies where the client sets none. */

/**
 * Builds a Messages API body of what the rules leave.
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
  const maxTokens = outputLimitOf(body, rules)
  const plan = thinkingOf({ body, model: name, hostedTools })
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
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    top_k: body.top_k ?? undefined,
    stop_sequences: readStopSequences(body),
    thinking: plan?.thinking,
    output_config: plan?.effort || format ? { effort: plan?.effort, format } : undefined,
    metadata: typeof body.user === 'string' ? { user_id: body.user } : undefined,
    stream: isStream,
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
  const schema = parameters ?? EMPTY_SCHEMA
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
