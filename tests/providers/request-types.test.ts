import { expect, test } from 'bun:test'
import { join } from 'node:path'
import ts from 'typescript'
import { isKnownField, MODEL_FIELD, SEARCH_FIELDS, SERVER_FIELD } from '#server/provider-kit/body-terms.ts'

/** Fields that a token with a list of models does not get through, though an SDK has them, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  cached_content: 'it may hold tools of its own',
  environment: 'a machine of the provider, which is a tool',
}

/** The fields of each body in the types of the SDKs, as the compiler sees them. */
function readTypes(): readonly (readonly [name: string, fields: readonly string[]])[] {
  const path = join(import.meta.dir, 'request-types.ts')
  const program = ts.createProgram([path], {
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  })
  const checker = program.getTypeChecker()
  const declared = program.getSourceFile(path)?.statements.find(ts.isInterfaceDeclaration)
  if (!declared) throw new Error('request-types.ts declares no interface')
  return checker.getPropertiesOfType(checker.getTypeAtLocation(declared)).map(property => {
    const type = checker.getTypeOfSymbol(property)
    const parts = type.isUnion() ? type.types : [type]
    const fields = parts.flatMap(part => checker.getPropertiesOfType(part).map(({ name }) => name))
    return [property.name, [...new Set(fields)]] as const
  })
}

const isTool = (field: string): boolean =>
  SERVER_FIELD.test(field) || SEARCH_FIELDS.some(name => name === field)

const types = readTypes()

test.each(types)('every field of %s in an SDK is known, or names a model or a tool', (_, fields) => {
  expect(fields.length).toBeGreaterThan(1)
  const isJudged = (field: string): boolean =>
    isKnownField(field) || MODEL_FIELD.test(field) || isTool(field) || Object.hasOwn(LEFT_OUT, field)
  expect(fields.filter(field => !isJudged(field))).toEqual([])
})

test('no field is left out that no SDK has', () => {
  const fields = new Set(types.flatMap(([, names]) => names))
  expect(Object.keys(LEFT_OUT).filter(name => !fields.has(name))).toEqual([])
})
