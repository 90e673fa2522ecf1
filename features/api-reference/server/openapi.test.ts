import { expect, test } from 'bun:test'
import { loadRoutes } from '#server/testing/open-test-app.ts'
import { createOpenApiDocument } from './openapi.ts'

/** The parts of an OpenAPI 3.1 schema that may contain fields. */
interface FieldSchema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly description?: string
  readonly example?: unknown
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly items?: FieldSchema
  readonly additionalProperties?: FieldSchema | boolean
  readonly anyOf?: readonly FieldSchema[]
  readonly oneOf?: readonly FieldSchema[]
}

interface Parameter {
  readonly name: string
  readonly description?: string
  readonly example?: unknown
}

interface Content {
  readonly [mediaType: string]: { readonly schema?: FieldSchema }
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly 200: { readonly content: Content } }
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, FieldSchema>> }
}

const routes = await loadRoutes()
/** The document is JSON; the interfaces above name what these tests read of it. */
const document = JSON.parse(
  JSON.stringify(
    createOpenApiDocument(
      routes.map(({ endpoint }) => endpoint),
      '1.0.0',
    ),
  ),
) as Document

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)
const schemas = [
  ...operations.flatMap(({ name, operation }) =>
    [operation.requestBody?.content ?? {}, operation.responses[200].content]
      .flatMap(content => Object.values(content))
      .flatMap(({ schema }) => (schema ? [{ name, schema }] : [])),
  ),
  ...Object.entries(document.components.schemas).map(([name, schema]) => ({ name, schema })),
]
const fields = schemas.flatMap(({ name, schema }) => [...fieldsOf(schema, name)])

test('every operation has a summary of one line and a description', () => {
  expect(operations.length).toBeGreaterThan(100)
  const bad = operations.filter(
    ({ operation: { summary = '', description = '' } }) =>
      summary === '' || summary.length > 80 || summary.endsWith('.') || description === '',
  )
  expect(bad.map(({ name }) => name)).toEqual([])
})

test('every operation belongs to a tag with a description, and every tag has operations', () => {
  const used = new Set(operations.flatMap(({ operation: { tags } }) => tags))
  expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort())
  expect(document.tags.filter(({ description }) => !description)).toEqual([])
})

test('every parameter has a description and an example', () => {
  const bad = operations.flatMap(({ name, operation }) =>
    operation.parameters
      .filter(({ description, example }) => !description || example === undefined)
      .map(parameter => `${name}: ${parameter.name}`),
  )
  expect(bad).toEqual([])
})

test('every field has a description', () => {
  expect(fields.length).toBeGreaterThan(300)
  expect(fields.filter(({ schema }) => !schema.description && !schema.$ref).map(({ name }) => name)).toEqual(
    [],
  )
})

test('every field with a single value has an example', () => {
  const scalars = ['string', 'number', 'integer', 'boolean']
  const isScalar = ({ type = '' }: FieldSchema) => scalars.includes(type)
  const bad = fields.filter(
    ({ schema }) => isScalar(schema) && schema.example === undefined && schema.const === undefined,
  )
  expect(bad.map(({ name }) => name)).toEqual([])
})

test('every reference names a component of the document', () => {
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target = '']) => target)
  expect(names.length).toBeGreaterThan(0)
  const known = Object.keys(document.components.schemas).map(name => `#/components/schemas/${name}`)
  expect(names.filter(name => !known.includes(name))).toEqual([])
})

/** All fields in a schema, at any depth, with their paths. */
function* fieldsOf(
  schema: FieldSchema,
  path: string,
): Generator<{ readonly name: string; readonly schema: FieldSchema }> {
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    yield { name: `${path}.${key}`, schema: field }
    yield* fieldsOf(field, `${path}.${key}`)
  }
  const { items, additionalProperties } = schema
  if (items) yield* fieldsOf(items, `${path}[]`)
  if (typeof additionalProperties === 'object') yield* fieldsOf(additionalProperties, `${path}{}`)
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* fieldsOf(choice, path)
}
