import type { JsonObject } from '../provider-kit/json.ts'

/** Parts of JSON Schemas of tools that a provider's own models know without one. */
export const textParameter = (description: string): JsonObject => ({ type: 'string', description })
export const integerParameter = (description: string): JsonObject => ({ type: 'integer', description })
export const oneOfParameter = (values: readonly string[]): JsonObject => ({ type: 'string', enum: values })
export const listParameter = (items: JsonObject, description: string): JsonObject => ({
  type: 'array',
  items,
  description,
})
export const objectParameters = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})
