import { GEMINI_RULES } from '../../provider-kit/gemini-generate/rules.ts'
import type { RuledCall } from '../../provider-kit/rules/chat-rules.ts'
import type { RequestProblem } from '../operation.ts'
import fields from '../request-fields.json'
import { findRuleProblem } from '../rule-problem.ts'
import { isSignatureOf } from '../signatures.ts'

/** The parts of a request that are checked. The caller has verified their types. */
interface CheckedGenerate {
  readonly contents: readonly CheckedContent[]
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[]
  readonly generationConfig?: {
    readonly maxOutputTokens?: number
    readonly stopSequences?: readonly string[]
  }
  readonly toolConfig?: { readonly includeServerSideToolInvocations?: unknown }
}

interface CheckedContent {
  readonly role?: string
  readonly parts?: readonly CheckedPart[]
}

interface CheckedPart {
  readonly functionCall?: { readonly name?: string }
  readonly functionResponse?: object
  readonly thoughtSignature?: string
}

/** Source: ai.google.dev/api/generate-content */
const FIELDS: ReadonlySet<string> = new Set(fields.generate)
const PART_FIELDS: ReadonlySet<string> = new Set(fields.generatePart)

/** Values that the provider documents for histories without signatures. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
])
/** Models from the third generation on. */
const IS_NEWER = /^gemini-3/

/** What the provider refuses beyond wrong types. */
export const findGenerateProblem = (body: CheckedGenerate, model: string): RequestProblem | undefined =>
  findUnknownName(body) ??
  findRuleProblem(toRuledBody(body, model), GEMINI_RULES) ??
  findToolProblem(body, model) ??
  findResponseProblem(body.contents) ??
  findSignatureProblem(body.contents, model)

/** A request as the rules read it. */
const toRuledBody = (
  { contents, tools = [], generationConfig = {} }: CheckedGenerate,
  model: string,
): RuledCall['body'] => ({
  model,
  max_tokens: generationConfig.maxOutputTokens ?? null,
  stop: generationConfig.stopSequences ?? null,
  tools: [
    ...tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    ...contents.flatMap(callsOf).map(({ functionCall }) => functionCall?.name ?? ''),
  ].map(name => ({ type: 'function', function: { name } })),
  messages: [],
})

/** Source: ai.google.dev/gemini-api/docs/tool-combination */
function findToolProblem(
  { tools = [], toolConfig }: CheckedGenerate,
  model: string,
): RequestProblem | undefined {
  const names = new Set(tools.flatMap(tool => Object.keys(tool).map(toCamelCase)))
  if (!names.has('functionDeclarations') || names.size === 1) return undefined
  if (!IS_NEWER.test(model)) return { message: 'Tool use with function calling is unsupported' }
  if (toolConfig?.includeServerSideToolInvocations === true) return undefined
  return {
    message:
      'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
  }
}

/** The provider reads names in both spellings. */
const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function findUnknownName(body: CheckedGenerate): RequestProblem | undefined {
  const unknown = Object.keys(body).find(name => !FIELDS.has(toCamelCase(name)))
  if (unknown !== undefined) return unknownName(unknown, '')
  for (const [index, { parts = [] }] of body.contents.entries())
    for (const [place, part] of parts.entries()) {
      const name = Object.keys(part).find(field => !PART_FIELDS.has(toCamelCase(field)))
      if (name !== undefined) return unknownName(name, ` at 'contents[${index}].parts[${place}]'`)
    }
  return undefined
}

const unknownName = (name: string, place: string): RequestProblem => ({
  message: `Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`,
})

const callsOf = ({ parts = [] }: CheckedContent): readonly CheckedPart[] =>
  parts.filter(part => part.functionCall)
const responsesOf = ({ parts = [] }: CheckedContent): readonly CheckedPart[] =>
  parts.filter(part => part.functionResponse)

/** Responses follow the turn with their calls, as many as there were calls. */
function findResponseProblem(contents: readonly CheckedContent[]): RequestProblem | undefined {
  for (const [index, content] of contents.entries()) {
    const responses = responsesOf(content).length
    const previous = contents[index - 1]
    const calls = previous ? callsOf(previous).length : 0
    if (responses > 0 && calls === 0)
      return {
        message: 'Please ensure that function response turn comes immediately after a function call turn.',
      }
    if (JSON.stringify(responsesOf(content)).includes('"$ref":'))
      return { message: 'The referenced name in the function_response does not match a display_name.' }
    if (responses !== calls)
      return {
        message:
          'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      }
  }
  return undefined
}

/**
 * The first of parallel calls carries the signature, which newer models require from the last message of the user on.
 * Source: ai.google.dev/gemini-api/docs/thought-signatures
 */
function findSignatureProblem(
  contents: readonly CheckedContent[],
  model: string,
): RequestProblem | undefined {
  const lastMessage = contents.findLastIndex(
    content => content.role !== 'model' && responsesOf(content).length === 0,
  )
  for (const [index, content] of contents.entries())
    for (const [place, call] of callsOf(content).entries()) {
      const isRequired = index > lastMessage && place === 0 && IS_NEWER.test(model)
      const problem = checkSignature(call, isRequired)
      if (problem) return problem
    }
  return undefined
}

function checkSignature(
  { functionCall, thoughtSignature: signature }: CheckedPart,
  isRequired: boolean,
): RequestProblem | undefined {
  const name = functionCall?.name ?? ''
  if (signature === undefined)
    return isRequired
      ? {
          message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Function call \`default_api:${name}\`.`,
        }
      : undefined
  const isKnown = PLACEHOLDERS.has(signature) || isSignatureOf(name, signature)
  return isKnown ? undefined : { message: 'Thought signature is not valid.' }
}
