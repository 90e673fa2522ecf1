import { asArray, asObject, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { placeOf } from './interaction-schema.ts'

const INTERACTION_ID = /^int_\d{23}[A-Za-z0-9]{8}$/

/** Whether only our own store can have the interaction. */
export const isOwnInteractionId = (id: string): boolean => INTERACTION_ID.test(id)

/** The input of a request as steps. Undefined for what is neither text, content nor a list of them. */
export function toInputSteps(input: unknown): readonly JsonObject[] | undefined {
  if (typeof input === 'string') return [toUserInput([{ type: 'text', text: input }])]
  if (isObject(input)) return [toUserInput([input])]
  if (!Array.isArray(input) || !input.every(isObject)) return undefined
  const steps: JsonObject[] = []
  let contents: JsonObject[] = []
  const endContents = (): void => {
    if (contents.length > 0) steps.push(toUserInput(contents))
    contents = []
  }
  for (const item of input) {
    if (placeOf({ type: String(item.type) }) === 'content') contents.push(item)
    else {
      endContents()
      steps.push(item)
    }
  }
  endContents()
  return steps
}

const toUserInput = (content: readonly JsonObject[]): JsonObject => ({ type: 'user_input', content })

/** The steps of an interaction. */
export const readSteps = ({ steps }: JsonObject): readonly JsonObject[] => asArray(steps).map(asObject)
