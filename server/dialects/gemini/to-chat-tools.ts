import type { ChatBody, ChatTool, ToolChoice } from '../../provider-kit/contract/chat.ts'
import type { GenerateJson } from './generate-json.ts'
import { toJsonSchema } from './to-json-schema.ts'

type Tools = Pick<ChatBody, 'tools' | 'tool_choice'>
type Declarations = NonNullable<NonNullable<GenerateJson['tools']>[number]['functionDeclarations']>

/** The functions that are declared, and the choice among them where there are any. */
export function toChatTools({ tools, toolConfig }: GenerateJson): Tools {
  const declared = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
  if (declared.length === 0) return {}
  const choice = toToolChoice(toolConfig?.functionCallingConfig)
  return { tools: declared.map(toTool), ...(choice && { tool_choice: choice }) }
}

function toTool({ name, description, parameters, parametersJsonSchema }: Declarations[number]): ChatTool {
  const schema = parametersJsonSchema ?? (parameters ? toJsonSchema(parameters) : undefined)
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(schema && { parameters: schema }),
    },
  }
}

type CallingConfig = NonNullable<GenerateJson['toolConfig']>['functionCallingConfig']

function toToolChoice(config: CallingConfig): ToolChoice | undefined {
  const [only, ...others] = config?.allowedFunctionNames ?? []
  switch (config?.mode?.toUpperCase()) {
    case 'NONE':
      return 'none'
    case 'AUTO':
      return 'auto'
    case 'ANY':
      return only !== undefined && others.length === 0
        ? { type: 'function', function: { name: only } }
        : 'required'
    default:
      return undefined
  }
}
