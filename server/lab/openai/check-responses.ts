import { COMPATIBLE_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import type { ChatRules, RuledCall } from '../../provider-kit/rules/chat-rules.ts'
import type { RequestProblem } from '../operation.ts'
import fields from '../request-fields.json'
import { findRuleProblem } from '../rule-problem.ts'
import { readEncrypted } from '../signatures.ts'
import { findUnknownField, toolChoiceProblem } from './check-request.ts'
import { listTools, type ResponsesInput, type ResponsesItem } from './read-responses.ts'
import { findStoredItem, findStoredResponse, listStoredItems } from './stored-responses.ts'

/** Source: platform.openai.com/docs/api-reference/responses/create */
const FIELDS: ReadonlySet<string> = new Set(fields.responses)

/** What the provider refuses beyond wrong types. */
export function findResponsesProblem(input: ResponsesInput, account: string): RequestProblem | undefined {
  const { request, items } = input
  return (
    findUnknownField(request, FIELDS) ??
    findRuleProblem(toRuledBody(input), RULES) ??
    toolChoiceProblem(request, new Set(listTools(request, items).map(({ name }) => name))) ??
    findStateProblem(input, account) ??
    findCallProblem([...earlierItems(input, account), ...items].map(item => resolveItem(item, account)))
  )
}

/** Call IDs may be longer here. */
const RULES: ChatRules = { ...COMPATIBLE_RULES, callIds: { lengthMax: 64 } }

/** The functions and calls of a request, as the rules read them. */
const toRuledBody = ({ request, items }: ResponsesInput): RuledCall['body'] => ({
  model: request.model,
  messages: items.flatMap(({ type, call_id: id }) =>
    id !== undefined && type?.endsWith('call') ? [{ role: 'tool', tool_call_id: id }] : [],
  ),
  tools: (request.tools ?? []).flatMap(({ type, name = '', parameters }) =>
    type === 'function' ? [{ type, function: { name, parameters: Object(parameters ?? {}) } }] : [],
  ),
})

/** A reference stands for the stored item. */
const resolveItem = (item: ResponsesItem, account: string): ResponsesItem =>
  (item.type === 'item_reference' && item.id && findStoredItem(account, item.id)) || item

const earlierItems = ({ request }: ResponsesInput, account: string): readonly ResponsesItem[] =>
  request.previous_response_id ? listStoredItems(account, request.previous_response_id) : []

function findStateProblem({ request, items }: ResponsesInput, account: string): RequestProblem | undefined {
  const { previous_response_id: previous } = request
  if (previous && !findStoredResponse(account, previous))
    return {
      message: `Previous response with id '${previous}' not found.`,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    }
  for (const item of items) {
    const problem = findItemProblem(item, account)
    if (problem) return problem
  }
  return undefined
}

/** Encrypted content of another organization is refused, and an item without content must be stored. */
function findItemProblem(item: ResponsesItem, account: string): RequestProblem | undefined {
  const { type, id, encrypted_content: encrypted } = item
  const state = encrypted ? readEncrypted(account, encrypted) : 'own'
  if (state !== 'own') {
    const reason =
      state === 'foreign'
        ? 'Encrypted content organization_id did not match the target organization.'
        : 'Encrypted content could not be decrypted or parsed.'
    return {
      message: `The encrypted content for item ${id} could not be verified. Reason: ${reason}`,
      code: 'invalid_encrypted_content',
    }
  }
  const mustBeStored = type === 'item_reference' || (type === 'reasoning' && !encrypted)
  if (!mustBeStored || !id || findStoredItem(account, id)) return undefined
  return {
    status: 404,
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: 'input',
  }
}

/** Each call needs its output and each output its call, in this order. */
function findCallProblem(items: readonly ResponsesItem[]): RequestProblem | undefined {
  const open = new Set<string>()
  for (const { type, call_id: id = '' } of items) {
    if (type === 'function_call' || type === 'custom_tool_call') open.add(id)
    const isOutput = type === 'function_call_output' || type === 'custom_tool_call_output'
    if (isOutput && !open.delete(id)) {
      const kind = type === 'function_call_output' ? 'function call' : 'custom tool call'
      return { message: `No tool call found for ${kind} output with call_id ${id}.`, param: 'input' }
    }
  }
  const [missing] = open
  return missing === undefined
    ? undefined
    : { message: `No tool output found for function call ${missing}.`, param: 'input' }
}
