import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { findUnknownFields } from '#server/provider-kit/extra-usage.ts'
import { asArray, asObject, isObject, type JsonObject } from '#server/provider-kit/json.ts'
import usageFields from './usage-fields.json'
import { USAGE_READERS, type UsageReader } from './usage-readers.ts'

/** A count or a text somewhere in a usage. Lists have no place of their own in its path. */
interface UsageField {
  readonly path: readonly string[]
  readonly sample: number | string
}

const readers: ReadonlyMap<string, readonly UsageReader[]> = new Map(Object.entries(USAGE_READERS))

const LISTS: ReadonlySet<string> = new Set([
  'iterations',
  'promptTokensDetails',
  'toolUsePromptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'input_tokens_by_modality',
  'tool_use_tokens_by_modality',
  'cached_tokens_by_modality',
  'output_tokens_by_modality',
  'grounding_tool_count',
])
/** Texts for which the counts beside them are read. */
const TEXTS: Readonly<Record<string, string>> = {
  'iterations.type': 'compaction',
  'grounding_tool_count.type': 'google_search',
  speed: 'standard',
}
const OTHER_TEXTS = ['flex', 'fast', 'duration', 'IMAGE', 'fallback_message', 'message']
/** Sums beyond their parts. */
const SUMS: Readonly<Record<string, number>> = {
  total_tokens: 50_000,
  output_tokens: 20_000,
  'image_gen.input_tokens': 5_000,
  'image_gen.input_tokens_details.image_tokens': 500,
}
/** By level: parts are smaller than their totals. */
const SAMPLE_COUNTS = [0, 10_000, 1_000, 100, 10]

/** Every field of the types of the SDKs, as the compiler sees them. */
function readTypes(): ReadonlyMap<string, readonly UsageField[]> {
  const path = join(import.meta.dir, 'usage-types.ts')
  const program = ts.createProgram([path], {
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  })
  const checker = program.getTypeChecker()
  const declared = program.getSourceFile(path)?.statements.find(ts.isInterfaceDeclaration)
  if (!declared) throw new Error('usage-types.ts declares no interface')

  const listParts = (type: ts.Type): readonly ts.Type[] =>
    (type.isUnion() ? type.types : [type]).flatMap(part =>
      checker.isArrayType(part)
        ? listParts(checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? part)
        : part,
    )
  const listFields = (type: ts.Type, parents: readonly string[]): readonly UsageField[] =>
    listParts(type).flatMap(part => {
      if (part.flags & ts.TypeFlags.NumberLike)
        return { path: parents, sample: (SAMPLE_COUNTS[parents.length] ?? 1) + parents.join().length }
      if (part.flags & ts.TypeFlags.StringLike)
        return { path: parents, sample: part.isStringLiteral() ? part.value : 'text' }
      return checker.getPropertiesOfType(part).flatMap(property => {
        const known = part.flags & ts.TypeFlags.Object ? [...parents, property.name] : undefined
        return known ? listFields(checker.getTypeOfSymbol(property), known) : []
      })
    })

  const types = checker.getPropertiesOfType(checker.getTypeAtLocation(declared))
  return new Map(types.map(type => [type.name, unique(listFields(checker.getTypeOfSymbol(type), []))]))
}

const unique = (fields: readonly UsageField[]): readonly UsageField[] => [
  ...new Map(fields.map(field => [field.path.join('.'), field])).values(),
]

/** The usage with another value at the path. */
function withValue(usage: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const before = usage[name]
  const within = Array.isArray(before) ? asObject(asArray(before)[0]) : asObject(before)
  const changed = rest.length === 0 ? value : withValue(within, rest, value)
  return { ...usage, [name]: rest.length > 0 && LISTS.has(name) ? [changed] : changed }
}

/** The modalities that have prices of their own. */
const MODALITIES = ['AUDIO', 'IMAGE', 'image']

const toSample = (fields: readonly UsageField[], modality: string): JsonObject =>
  fields.reduce<JsonObject>((usage, { path, sample }) => {
    const name = path.at(-1) ?? ''
    const text = name === 'modality' ? modality : (TEXTS[path.join('.')] ?? TEXTS[name])
    return withValue(usage, path, text ?? SUMS[path.join('.')] ?? sample)
  }, {})

const USES: ReadonlyMap<string, string> = new Map(Object.entries(usageFields))

/** How the field, or the one that it is a part of, is used. Calls within a response have the fields of a response. */
function findUse(path: readonly string[]): string | undefined {
  if (path[0] === 'iterations' && path[1] === 'type') return 'read'
  if (path[0] === 'iterations' || path[0] === 'image_gen') return findUse(path.slice(1))
  const uses = path.map((_, index) => USES.get(path.slice(0, index + 1).join('.')))
  return uses.find(use => use !== undefined && use !== 'read') ?? uses.at(-1)
}

/** APIs whose usage is of no response that is served here. */
const NOT_SERVED =
  /admin\/|organization\/|spend-limits|evals\/|batches|threads\/|sessions\/|dreams|agents\/|decisions|live\/|conversations\//
/** Of caches, and of Google's realtime API. */
const OTHER_TYPES =
  /^(CachedContentUsageMetadata|UsageMetadata|Usage\$|ToolsetUsageError|BetaFallbackCreditUsage)$/
const PACKAGES = join(import.meta.dir, '../../node_modules')
const USAGE_TYPE = /Usage/

const childrenOf = (node: ts.Node): readonly ts.Node[] => {
  const children: ts.Node[] = []
  ts.forEachChild(node, child => {
    children.push(child)
  })
  return children
}

/** Names of the fields of every type of usage in an SDK, by type. */
function listDeclared(sdk: string): readonly (readonly [type: string, field: string])[] {
  const folder = join(PACKAGES, sdk)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.d.ts') && !file.startsWith('src/') && !NOT_SERVED.test(file))
    .map(file => [file, readFileSync(join(folder, file), 'utf8')] as const)
    .filter(([, text]) => USAGE_TYPE.test(text))
  return files.flatMap(([file, text]) => {
    const fieldsBelow = (node: ts.Node, type: string): readonly (readonly [string, string])[] => {
      const isNamed =
        ts.isInterfaceDeclaration(node) || ts.isModuleDeclaration(node) || ts.isTypeAliasDeclaration(node)
      const named = isNamed ? `${type}.${node.name.text}` : type
      const isField =
        ts.isPropertySignature(node) && USAGE_TYPE.test(type) && !OTHER_TYPES.test(type.slice(1))
      return [
        ...(isField ? [[type.slice(1), node.name.getText()] as const] : []),
        ...childrenOf(node).flatMap(child => fieldsBelow(child, named)),
      ]
    }
    return fieldsBelow(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '')
  })
}

for (const [name, fields] of readTypes()) {
  const ways = readers.get(name) ?? []
  const usages = MODALITIES.map(modality => toSample(fields, modality))

  describe(`the usage of ${name}`, () => {
    test('has no count that is unknown', () => {
      expect(fields.length).toBeGreaterThan(1)
      for (const usage of usages) {
        expect(findUnknownFields(usage)).toBeUndefined()
        expect(findUnknownFields({ ...usage, brand_new_tokens: 5 })).toEqual(['brand_new_tokens'])
      }
    })

    test.each(fields.map(({ path }) => [path.join('.'), path] as const))(
      '%s is read, or free with a reason',
      (_, path) => {
        const use = findUse(path)
        expect(use).toBeDefined()
        if (!use?.startsWith('read')) return
        for (const usage of usages) {
          const before = path.reduce<unknown>(
            (value, part) => (isObject(value) ? value[part] : asObject(asArray(value)[0])[part]),
            usage,
          )
          const others = typeof before === 'number' ? [before + 3] : OTHER_TEXTS
          for (const read of ways) {
            const result = JSON.stringify(read(usage))
            expect(others.map(other => JSON.stringify(read(withValue(usage, path, other))))).not.toEqual(
              others.map(() => result),
            )
          }
        }
      },
    )
  })
}

/** By format: a usage of totals alone. */
const TOTALS: readonly JsonObject[] = [
  { prompt_tokens: 1_000, completion_tokens: 1_000 },
  { input_tokens: 1_000, output_tokens: 1_000 },
  { promptTokenCount: 1_000, candidatesTokenCount: 1_000 },
  { total_input_tokens: 1_000, total_output_tokens: 1_000 },
]
/** Fields with names below them that are lists of the provider. */
const ALONE: readonly (readonly [path: string, sample: unknown])[] = [
  ['plugins.search.count', 5],
  ...[
    ...['web_search', 'x_search', 'code_interpreter', 'code_execution', 'file_search'],
    ...['collections_search', 'attachment_search', 'document_search'],
  ].map(tool => [`server_side_tool_usage_details.${tool}_calls`, 5] as const),
  ['num_sources_used', 5],
  ['service_tier', 'flex'],
  ['serviceTier', 'flex'],
  ['trafficType', 'flex'],
  ['speed', 'fast'],
  ['inference_geo', 'us'],
  ['total_tokens', 1_500],
  ...[...USES]
    .filter(([path, use]) => use === 'read' && ![...USES.keys()].some(other => other.startsWith(`${path}.`)))
    .map(([path]) => [path, 50] as const)
    .filter(
      ([path]) =>
        !/^(type|model|iterations|speed|inference_geo|grounding.*|seconds)$|cached_tokens_details\.|ephemeral_1h|[tT]ier|Type/.test(
          path,
        ),
    ),
]

test.each(ALONE)('%s is read where it stands alone', (path, sample) => {
  const changes = [...readers.values()].flat().filter(read =>
    [{}, ...TOTALS].some(totals => {
      const usage = withValue(totals, path.split('.'), sample)
      return JSON.stringify(read(usage)) !== JSON.stringify(read(totals))
    }),
  )
  expect(changes).not.toBeEmpty()
})

test('a modality without a price of its own raises the alarm, in both spellings', () => {
  const details = (name: string, modality: string) => findUnknownFields({ [name]: [{ modality }] })
  expect(details('promptTokensDetails', 'SMELL')).toEqual(['promptTokensDetails.SMELL'])
  expect(details('input_tokens_by_modality', 'smell')).toEqual(['input_tokens_by_modality.smell'])
  expect(details('input_tokens_by_modality', 'audio')).toBeUndefined()
})

test('no field of the list raises the alarm for unknown ones', () => {
  const nested = ([name = '', ...rest]: readonly string[]): JsonObject => {
    const inner = rest.length > 0 ? nested(rest) : 5
    return { [name]: LISTS.has(name) ? [inner] : inner }
  }
  const counts = [...USES.keys()].filter(path => path !== 'model')
  const unknown = counts.filter(path => findUnknownFields(nested(path.split('.'))) !== undefined)
  expect(unknown).toEqual([])
})

test.each(['openai', '@anthropic-ai/sdk', '@google/genai'])('every field of usage in %s is known', sdk => {
  const declared = listDeclared(sdk)
  expect(declared.length).toBeGreaterThan(10)
  const isKnown = (field: string): boolean =>
    USES.has(field) || findUnknownFields({ [field]: 5 }) === undefined
  expect(declared.filter(([, field]) => !isKnown(field))).toEqual([])
})
