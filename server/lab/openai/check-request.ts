import type { RequestProblem } from '../operation.ts'

/** The provider refuses top-level fields that it does not know. */
export function findUnknownField(body: object, known: ReadonlySet<string>): RequestProblem | undefined {
  const unknown = Object.keys(body).find(name => !known.has(name))
  return unknown === undefined
    ? undefined
    : { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' }
}

interface ToolFields {
  readonly tools?: readonly unknown[] | null | undefined
  readonly tool_choice?: unknown
}

/** A choice needs tools, and a named tool must be among them. */
export function toolChoiceProblem(
  { tools, tool_choice: choice }: ToolFields,
  names: ReadonlySet<string>,
): RequestProblem | undefined {
  const hasTools = (tools ?? []).length > 0
  const isChosen = choice !== undefined && choice !== null && choice !== 'none' && choice !== 'auto'
  if (isChosen && !hasTools)
    return {
      message: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      param: 'tool_choice',
    }
  const name = chosenName(choice)
  return name === undefined || names.has(name)
    ? undefined
    : { message: `Tool choice '${name}' not found in 'tools' parameter.`, param: 'tool_choice' }
}

/** The Responses API has the name at the top level, chat within the function. */
function chosenName(choice: unknown): string | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined
  const { name, function: called, custom } = Object(choice)
  const chosen: unknown = name ?? Object(called ?? custom).name
  return typeof chosen === 'string' ? chosen : undefined
}
