import { z } from 'zod'
import type { AnyEndpoint } from '#contract/endpoint.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const ROLE_TEXT = {
  visitor: 'Anybody.',
  user: 'A signed-in user.',
  admin: 'An administrator.',
  root: 'The super administrator.',
} as const

const SIGNED_IN = [
  { session: [], user: [] },
  { accessToken: [], user: [] },
]

/** The management API as an OpenAPI 3.1 document, from the schemas that the server itself checks with. */
export const openapiOf = (endpoints: readonly AnyEndpoint[], version: string): JsonSchema => ({
  openapi: '3.1.0',
  info: {
    title: 'Tollgate management API',
    version,
    description:
      'Every answer is an envelope {success, message, data}; a refusal has success false, a stable code and HTTP 200. Paths are answered with and without a trailing slash.',
  },
  paths: pathsOf(endpoints),
  components: {
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
      accessToken: { type: 'http', scheme: 'bearer' },
      user: {
        type: 'apiKey',
        in: 'header',
        name: 'New-Api-User',
        description: 'The id of the signed-in user',
      },
    },
  },
})

function pathsOf(endpoints: readonly AnyEndpoint[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(endpoint) }
  }
  return paths
}

function toOperation(endpoint: AnyEndpoint): JsonSchema {
  const { method, path, role, summary, produces } = endpoint
  const body = schemaOf(endpoint.body, 'input')
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[/:_-]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    description: ROLE_TEXT[role],
    tags: [path.split('/')[2]],
    ...(role !== 'visitor' && { security: SIGNED_IN }),
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
    ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
    responses: {
      200: {
        description: 'The answer, or a refusal',
        content: produces ? { [produces]: {} } : { 'application/json': { schema: envelopeOf(endpoint) } },
      },
      ...(role !== 'visitor' && { 401: { description: 'Not signed in' } }),
    },
  }
}

function envelopeOf(endpoint: AnyEndpoint): JsonSchema {
  const data = schemaOf(endpoint.reply, 'output')
  const beside = schemaOf(endpoint.meta, 'output')
  return {
    type: 'object',
    required: ['success', 'message'],
    properties: {
      success: { type: 'boolean' },
      message: { type: 'string' },
      code: { type: 'string' },
      ...(data && { data }),
      ...propertiesOf(beside),
    },
  }
}

/** Undefined for what is never sent. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema | undefined {
  if (schema instanceof z.ZodUndefined) return undefined
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return shape
}

/** By the standard, the properties of a JSON schema are JSON schemas. */
const propertiesOf = (schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> =>
  (schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): JsonSchema[] {
  const shape = schemaOf(schema, 'input')
  const required = Array.isArray(shape?.required) ? shape.required : []
  return Object.entries(propertiesOf(shape)).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}
