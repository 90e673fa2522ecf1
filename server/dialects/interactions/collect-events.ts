import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../provider-kit/json.ts'

/** A step as far as its events have told. */
interface CollectedStep {
  fields: JsonObject
  /** Its content, or its summary. */
  readonly parts: JsonObject[]
  /** The JSON of its arguments; empty where they came with the step. */
  argumentsText: string
}

/** Puts an interaction together from its events, whose last one leaves the steps out. */
export class InteractionCollector {
  private interaction: JsonObject | undefined
  private readonly steps = new Map<unknown, CollectedStep>()

  /** The interaction as far as it is. Undefined before its first event. */
  get response(): JsonObject | undefined {
    const { interaction, steps } = this
    if (!interaction || steps.size === 0) return interaction
    return { ...interaction, steps: [...steps.values()].map(toStep) }
  }

  add(event: JsonObject): void {
    const { event_type: type, index } = event
    if (isObject(event.interaction)) this.interaction = { ...this.interaction, ...event.interaction }
    if (type === 'step.start') this.steps.set(index, toCollected(asObject(event.step)))
    const step = this.steps.get(index)
    if (type === 'step.delta' && step) addDelta(step, asObject(event.delta))
    if (type === 'error')
      this.interaction = { ...this.interaction, status: 'failed', errors: [asObject(event.error)] }
  }
}

const toCollected = ({ content, summary, ...fields }: JsonObject): CollectedStep => ({
  fields,
  parts: asArray(content ?? summary).map(asObject),
  argumentsText: '',
})

function addDelta(step: CollectedStep, delta: JsonObject): void {
  const { type, ...fields } = delta
  switch (type) {
    case 'text':
      addPart(step.parts, delta)
      break
    case 'thought_summary':
      addPart(step.parts, asObject(delta.content))
      break
    case 'text_annotation_delta':
      addAnnotations(step.parts, asArray(delta.annotations))
      break
    case 'arguments_delta':
      step.argumentsText += asString(delta.arguments) ?? ''
      break
    default:
      if (step.fields.type === 'model_output') step.parts.push(delta)
      else step.fields = { ...step.fields, ...fields }
  }
}

/** A text continues the one before it. */
function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1)
  if (part.type === 'text' && last?.type === 'text')
    parts[parts.length - 1] = { ...last, text: `${asString(last.text) ?? ''}${asString(part.text) ?? ''}` }
  else parts.push(part)
}

function addAnnotations(parts: JsonObject[], added: readonly unknown[]): void {
  const last = parts.pop() ?? { type: 'text', text: '' }
  parts.push({ ...last, annotations: [...asArray(last.annotations), ...added] })
}

function toStep({ fields, parts, argumentsText }: CollectedStep): JsonObject {
  if (fields.type === 'model_output') return { ...fields, content: [...parts] }
  if (fields.type === 'thought') return { ...fields, summary: [...parts] }
  return argumentsText === '' ? fields : { ...fields, arguments: parseJson(argumentsText) ?? {} }
}

/** A complete interaction as the events of a stream. */
export function toInteractionEvents({ steps, ...interaction }: JsonObject): readonly JsonObject[] {
  const created = { ...interaction, status: 'in_progress', usage: undefined }
  return [
    { event_type: 'interaction.created', interaction: created },
    ...asArray(steps).flatMap((step, index) => toStepEvents(asObject(step), index)),
    { event_type: 'interaction.completed', interaction },
  ]
}

function toStepEvents(step: JsonObject, index: number): readonly JsonObject[] {
  const { started, deltas } = splitStep(step)
  return [
    { event_type: 'step.start', index, step: started },
    ...deltas.map(delta => ({ event_type: 'step.delta', index, delta })),
    { event_type: 'step.stop', index },
  ]
}

interface SplitStep {
  readonly started: JsonObject
  readonly deltas: readonly JsonObject[]
}

function splitStep(step: JsonObject): SplitStep {
  switch (step.type) {
    case 'model_output':
      return {
        started: { ...step, content: [] },
        deltas: asArray(step.content).map(asObject).flatMap(toContentDeltas),
      }
    case 'thought': {
      const { signature, ...started } = step
      const summary = asArray(step.summary).map(content => ({ type: 'thought_summary', content }))
      const signed = signature === undefined ? [] : [{ type: 'thought_signature', signature }]
      return { started: { ...started, summary: [] }, deltas: [...summary, ...signed] }
    }
    case 'function_call': {
      const text = JSON.stringify(step.arguments ?? {})
      return {
        started: { ...step, arguments: {} },
        deltas: [{ type: 'arguments_delta', arguments: text }],
      }
    }
    default:
      return { started: step, deltas: [] }
  }
}

const toContentDeltas = ({ annotations, ...content }: JsonObject): readonly JsonObject[] => [
  content,
  ...(annotations === undefined ? [] : [{ type: 'text_annotation_delta', annotations }]),
]
