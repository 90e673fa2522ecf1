import type { ChatTool } from './contract/chat.ts'
import { asObject, asString, type JsonObject, parseJson } from './json.ts'

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** A custom tool, which takes free text, as a function with one string. `tool` is its declaration without the type. */
export const toTextFunction = (name: string, tool: JsonObject): ChatTool => ({
  type: 'function',
  function: { name, description: describe(tool), parameters: PARAMETERS },
})

/** A grammar cannot be enforced by other providers, so the model reads it. Chat nests it once more. */
function describe({ description, format }: JsonObject): string {
  const { grammar = format } = asObject(format)
  const { syntax, definition } = asObject(grammar)
  const text = asString(definition)
  const rule = text
    ? `The input is one string that matches this ${asString(syntax) ?? ''} grammar:\n${text}`
    : 'The input is one string.'
  return [asString(description), rule].filter(Boolean).join('\n\n')
}

/** Free text as the arguments of the function that stands for a custom tool. */
export const toTextArguments = (input: string): string => JSON.stringify({ input })

/** The free text within such arguments. Arguments of another shape are passed as they are. */
export const readTextArguments = (text: string): string => asString(asObject(parseJson(text)).input) ?? text
