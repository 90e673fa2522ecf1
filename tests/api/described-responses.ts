import { z } from 'zod'
import type { AnyEndpoint } from '#contract/endpoint.ts'

type Schema = Readonly<Record<string, unknown>>
type Content = Readonly<Record<string, { readonly schema?: Schema }>>
type Operation = { readonly responses: Readonly<Record<string, { readonly content: Content }>> }

/** The parts of an OpenAPI document that describe responses. */
interface DescribedApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schema }
}

/** Returns what is wrong with a response; undefined when the document describes it. */
type ResponseCheck = (endpoint: AnyEndpoint, response: Response, text: string) => string | undefined

/** Checks responses against the OpenAPI document that the server publishes, given as JSON. */
export function createResponseCheck(document: string): ResponseCheck {
  const { paths, components }: DescribedApi = JSON.parse(document)
  const parsers = new WeakMap<Schema, z.ZodType>()
  const parserOf = (schema: Schema): z.ZodType => {
    const found = parsers.get(schema) ?? toParser(schema, components.schemas)
    parsers.set(schema, found)
    return found
  }
  return ({ method, path }, response, text) => {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    const described = operation?.responses[response.status]?.content
    if (!described) return `the status ${response.status} is not described`
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const content = described[type] ?? (type === 'application/json' ? ERROR_CONTENT : undefined)
    if (!content) return `the type ${type} is not described`
    const problem = content.schema && parserOf(content.schema).safeParse(JSON.parse(text)).error
    return problem && z.prettifyError(problem)
  }
}

/** A download responds with this when it fails. */
const ERROR_CONTENT = { schema: { $ref: '#/components/schemas/Error' } }

const toParser = (schema: Schema, components: Schema): z.ZodType =>
  z.fromJSONSchema(
    JSON.parse(
      JSON.stringify({ ...schema, $defs: components }).replaceAll('#/components/schemas/', '#/$defs/'),
    ),
  )
