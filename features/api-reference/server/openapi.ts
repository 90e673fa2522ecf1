import { z } from 'zod'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { PRESENCE_DESCRIPTIONS } from '#contract/presence.ts'
import tags from './openapi-tags.json'

type JsonSchema = Readonly<Record<string, unknown>>

const INTRODUCTION = `Every response is an envelope \`{"success", "message", "data"}\`. An error has \`success: false\`, a stable \`code\` and
HTTP status 200, except where an operation lists another status, such as 401 (not signed in) and 429 (rate limited).

Sign in with a session cookie, or send a system access token as \`Authorization: Bearer\`. In both cases send your user id
in the header \`New-Api-User\`. Paths are served with and without a trailing slash.`

const ACCESS = {
  visitor: 'Access: everyone.',
  user: 'Access: signed-in users.',
  admin: 'Access: administrators.',
  root: 'Access: super administrators.',
} as const

const FORM = 'application/x-www-form-urlencoded'

interface Tag {
  readonly name: string
  readonly description: string
  /** Beginnings of the paths; the first tag that matches counts. */
  readonly paths: readonly string[]
}

const TAGS: readonly Tag[] = tags

/** Throws for a path without a tag, so that a new resource gets one. */
function tagOf(path: string): string {
  const tag = TAGS.find(({ paths }) => paths.some(start => path === start || path.startsWith(`${start}/`)))
  if (!tag) throw new Error(`no tag of the OpenAPI document covers ${path}`)
  return tag.name
}

const SIGNED_IN = [
  { session: [], user: [] },
  { accessToken: [], user: [] },
]

/** The management API as an OpenAPI 3.1 document, generated from the schemas that validate the requests. */
export function createOpenApiDocument(endpoints: readonly AnyEndpoint[], version: string): JsonSchema {
  const schemas: Record<string, JsonSchema> = { [ERROR_SCHEMA]: toErrorSchema() }
  return withComponentReferences({
    openapi: '3.1.0',
    info: { title: 'Tollgate management API', version, description: INTRODUCTION },
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths: toPaths(endpoints, schemas),
    components: {
      schemas,
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'session',
          description: 'The cookie that a sign-in sets.',
        },
        accessToken: { type: 'http', scheme: 'bearer', description: 'A system access token.' },
        user: {
          type: 'apiKey',
          in: 'header',
          name: 'New-Api-User',
          description: 'The id of the signed-in user.',
        },
      },
    },
  })
}

function toPaths(endpoints: readonly AnyEndpoint[], schemas: Record<string, JsonSchema>): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(endpoint, schemas) }
  }
  return paths
}

function toOperation(endpoint: AnyEndpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const { method, path, role, summary, produces } = endpoint
  const body = toSchema(endpoint.body, 'input', schemas)
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[/:_-]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    description: [descriptionOf(endpoint), ACCESS[role], servesOrganizations(endpoint)]
      .filter(Boolean)
      .join('\n\n'),
    tags: [tagOf(path)],
    ...(role !== 'visitor' && { security: SIGNED_IN }),
    parameters: [...toParameters(endpoint.params, 'path'), ...toParameters(endpoint.query, 'query')],
    ...(body && {
      requestBody: {
        content: { [endpoint.accepts === 'form' ? FORM : 'application/json']: { schema: body } },
      },
    }),
    responses: {
      200: {
        description: 'The result, or an error.',
        content: produces
          ? { [produces]: {} }
          : { 'application/json': { schema: toEnvelope(endpoint, schemas) } },
      },
      ...toErrorResponses(endpoint),
    },
  }
}

const servesOrganizations = ({ organization }: AnyEndpoint): string | undefined =>
  organization && `With \`X-Tollgate-Organization\`, for an organisation: role ${organization} or above.`

const descriptionOf = ({ description, needs }: AnyEndpoint): string =>
  [description, needs && PRESENCE_DESCRIPTIONS[needs]].filter(Boolean).join(' ')

/** A body is read even where none is expected. */
const BODY_ERRORS = {
  400: 'The body is not JSON, has too many elements or levels, or lacks the name that confirms a deletion.',
  413: 'The body is too large.',
  415: 'The encoding of the body is not supported.',
}
const ERRORS = {
  403: 'The call needs a recent sign-in, or a sign-in that was started in the same session.',
  429: 'Too many requests; `Retry-After` gives the seconds to wait.',
  503: 'The server is busy, or its storage does not respond.',
}

/** The responses that are not sent with HTTP 200. */
function toErrorResponses({ method, role, missing, conflict }: AnyEndpoint): JsonSchema {
  const descriptions = {
    ...(method !== 'GET' && BODY_ERRORS),
    ...(role !== 'visitor' && { 401: 'Not signed in.' }),
    ...(missing && { 404: missing }),
    ...(conflict && { 409: conflict }),
    ...ERRORS,
  }
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${ERROR_SCHEMA}` } } }
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [status, { description, content }]),
  )
}

const ERROR_SCHEMA = 'Error'

const toErrorSchema = (): JsonSchema => ({
  description: 'An error.',
  type: 'object',
  required: ['success', 'message', 'code'],
  properties: {
    success: { const: false, description: 'The call failed.' },
    message: {
      type: 'string',
      description: "A text in the caller's language.",
      example: 'the access token is not valid',
    },
    code: { type: 'string', description: 'A stable error code.', example: 'auth.invalid_access_token' },
  },
})

function toEnvelope(endpoint: AnyEndpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const data = toSchema(endpoint.reply, 'output', schemas)
  return {
    type: 'object',
    required: ['success', 'message'],
    properties: {
      success: { type: 'boolean', description: 'Whether the call succeeded.', example: true },
      message: { type: 'string', description: "A text in the caller's language.", example: '' },
      code: {
        type: 'string',
        description: 'A stable error code; absent on success.',
        example: 'invalid_parameter',
      },
      ...(data && { data: { description: 'The result.', ...data } }),
      ...propertiesOf(toSchema(endpoint.meta, 'output', schemas)),
    },
  }
}

/**
 * The JSON schema of a part of an endpoint, or undefined when the part is empty. Schemas with an `id` are added to
 * `schemas` and referenced, so that the document contains each of them once.
 */
function toSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  schemas: Record<string, JsonSchema>,
): JsonSchema | undefined {
  if (schema instanceof z.ZodUndefined) return undefined
  const { $schema: _, $defs, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  for (const [id, definition] of Object.entries($defs ?? {})) {
    const { id: __, ...rest } = definition
    schemas[id] = rest
  }
  return shape
}

/** zod refers to shared schemas below `$defs`; in OpenAPI they are components. */
const withComponentReferences = (document: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', '"#/components/schemas/'))

/** By the standard, the properties of a JSON schema are JSON schemas. */
const propertiesOf = (schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> =>
  (schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>

/** A parameter carries its description and example itself, where tools look for them first. */
function toParameters(schema: z.ZodType, location: 'path' | 'query'): JsonSchema[] {
  const shape = toSchema(schema, 'input', {})
  const required = Array.isArray(shape?.required) ? shape.required : []
  return Object.entries(propertiesOf(shape)).map(([name, { description, example, ...property }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description,
    ...(example !== undefined && { example }),
    schema: property,
  }))
}
