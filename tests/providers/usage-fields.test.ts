import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { findUnknownFields } from '#server/provider-kit/extra-usage.ts'
import { asArray, asObject, isObject, type JsonObject } from '#server/provider-kit/json.ts'
import { toOpenaiReply } from '#server/provider-kit/openai-compatible/chat-response.ts'
import usageFields from './usage-fields.json'
import { FIGURES_ELSEWHERE, readTalk, USAGE_READERS, type UsageReader } from './usage-readers.ts'

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

const TOOL_CALLS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ...['web_search', 'x_search', 'code_interpreter', 'code_execution', 'file_search'],
    ...['collections_search', 'attachment_search', 'document_search'],
  ].map(tool => [`server_side_tool_usage_details.${tool}_calls`, 5]),
)
/** By format: fields of no SDK. */
const FURTHER_FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  chat: {
    ...{ prompt_cache_hit_tokens: 50, cached_tokens: 50, num_cached_tokens: 50, total_tokens: 1_500 },
    ...{ num_search_queries: 5, num_sources_used: 5, search_context_size: 'high', service_tier: 'flex' },
    ...{ 'plugins.search.count': 5, 'server_tool_use.web_search_requests': 5, ...TOOL_CALLS },
    ...{ 'prompt_tokens_details.cache_creation_tokens': 50, 'prompt_tokens_details.image_tokens': 50 },
    'prompt_tokens_details.cached_creation_tokens': 50,
    'completion_tokens_details.image_tokens': 50,
  },
  responses: TOOL_CALLS,
  images: { cached_tokens: 50 },
  transcription: { prompt_tokens: 50, completion_tokens: 50 },
  speech: { input_tokens: 50, output_tokens: 50 },
  rerank: {
    ...{ 'usage.total_tokens': 50, 'usage.prompt_tokens': 50 },
    ...{ 'meta.tokens.input_tokens': 50, 'meta.tokens.output_tokens': 50 },
    ...{ 'tokens.input_tokens': 50, 'tokens.output_tokens': 50 },
  },
  gemini: { serviceTier: 'flex', trafficType: 'PROVISIONED_THROUGHPUT' },
}

/** By format: a usage of totals alone, and those parts that have parts of their own. */
const TOTALS: Readonly<Record<string, JsonObject>> = {
  chat: { prompt_tokens: 1_000, completion_tokens: 1_000 },
  embeddings: { prompt_tokens: 1_000 },
  gemini: { promptTokenCount: 1_000, candidatesTokenCount: 1_000, cachedContentTokenCount: 100 },
  interactions: { total_input_tokens: 1_000, total_output_tokens: 1_000, total_cached_tokens: 100 },
  messages: { input_tokens: 1_000, output_tokens: 1_000, cache_creation_input_tokens: 100 },
  realtime: { input_tokens: 1_000, output_tokens: 1_000, input_token_details: { cached_tokens: 100 } },
  svg: { input_tokens: 1_000, output_tokens: 1_000 },
  tools: { image_gen: { input_tokens: 1_000, output_tokens: 1_000, cached_tokens: 100 } },
  transcriptionBySecond: { type: 'duration', seconds: 60 },
}
const OTHER_TOTALS: JsonObject = { input_tokens: 1_000, output_tokens: 1_000 }

/** What an entry of a list needs beside the field. */
const COMPANIONS: readonly (readonly [path: RegExp, fields: JsonObject])[] = [
  [/TokensDetails\.tokenCount$/, { modality: 'AUDIO' }],
  [/_by_modality\.tokens$/, { modality: 'image' }],
  [/^grounding_tool_count\.count$/, { type: 'google_search' }],
]

/** A usage of the totals and the field, and the same without it. */
function toAlone(totals: JsonObject, path: readonly string[], sample: unknown): readonly JsonObject[] {
  const companions = COMPANIONS.find(([pattern]) => pattern.test(path.join('.')))?.[1] ?? {}
  const parent = path.slice(0, -1)
  const without = Object.entries(companions).reduce(
    (usage, [name, value]) => withValue(usage, [...parent, name], value),
    totals,
  )
  return [without, withValue(without, path, sample)]
}

/** Every reader of the format sees the field beside nothing, or beside totals alone. */
function expectReadAlone(format: string, path: readonly string[], given?: unknown): void {
  const totals = TOTALS[format] ?? OTHER_TOTALS
  const samples = given === undefined ? [50, ...OTHER_TEXTS] : [given]
  for (const read of readers.get(format) ?? []) {
    const changes = [{}, totals].flatMap(usage =>
      samples.filter(sample => {
        const [without = {}, having = {}] = toAlone(usage, path, sample)
        return JSON.stringify(read(without)) !== JSON.stringify(read(having))
      }),
    )
    expect(changes).not.toBeEmpty()
  }
}

/** Parts that need more than their totals, or that say what the totals are. */
const NOT_ALONE = /^(type|modality|iterations\.type)$/

const isAlone = (path: string): boolean => {
  const use = findUse(path.split('.'))
  return use?.startsWith('read') === true && !NOT_ALONE.test(path)
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

    test.each(fields.map(({ path }) => [path.join('.'), path] as const).filter(([path]) => isAlone(path)))(
      '%s is read where it stands alone',
      (_, path) => expectReadAlone(name, path),
    )
  })
}

describe.each(Object.entries(FURTHER_FIELDS))(
  'what compatible servers add to the usage of %s',
  (name, fields) => {
    test.each(Object.entries(fields))('%s is read where it stands alone', (path, sample) =>
      expectReadAlone(name, path.split('.'), sample),
    )
  },
)

/** Of a total beside parts that stand in none of the others, or of a total that stands alone. */
const SUMS_READ: readonly (readonly [
  format: keyof typeof USAGE_READERS,
  usage: JsonObject,
  total: string,
])[] = [
  [
    'chat',
    { prompt_tokens: 1_000, completion_tokens: 1_000, prompt_tokens_details: { cached_tokens: 500 } },
    'total_tokens',
  ],
  ['chat', { completion_tokens: 1_000 }, 'total_tokens'],
  [
    'responses',
    { input_tokens: 1_000, output_tokens: 1_000, input_tokens_details: { cached_tokens: 500 } },
    'total_tokens',
  ],
  [
    'interactions',
    { total_input_tokens: 1_000, total_output_tokens: 1_500, total_thought_tokens: 500 },
    'total_tokens',
  ],
]

test.each(SUMS_READ)('the sum of %s says which parts stand beside the others: %j', (format, usage, total) => {
  for (const read of USAGE_READERS[format])
    expect(JSON.stringify(read({ ...usage, [total]: 2_500 }))).not.toBe(JSON.stringify(read(usage)))
})

test('seconds are charged as such, and add up over the events of a talk', () => {
  const usage = { type: 'duration', seconds: 61 }
  for (const read of USAGE_READERS.transcriptionBySecond)
    expect(JSON.stringify(read(usage))).toContain('"seconds":61')
  expect(JSON.stringify(readTalk('transcription', usage, usage))).toContain('"seconds":122')
})

test('calls that the totals contain are not charged again, and the model of a fallback served', () => {
  const call = { input_tokens: 5, output_tokens: 5, model: 'claude-haiku-4-5' }
  const usageWith = (type: string) => ({ input_tokens: 9, output_tokens: 9, iterations: [{ type, ...call }] })
  for (const read of USAGE_READERS.messages) {
    const named = (type: string) => JSON.stringify(read(usageWith(type)))
    expect(named('message')).not.toContain('claude-haiku-4-5')
    expect(named('fallback_message')).toContain('"servedModel":"claude-haiku-4-5"')
    expect(named('fallback_message')).not.toContain('otherModels')
    expect(named('advisor_message')).toContain('"otherModels":[{"model":"claude-haiku-4-5"')
  }
})

test('tools of Interactions are told apart by their type, and an unknown one raises the alarm', () => {
  const usageWith = (type: string) => ({ total_input_tokens: 9, grounding_tool_count: [{ type, count: 2 }] })
  for (const read of USAGE_READERS.interactions) {
    expect(JSON.stringify(read(usageWith('google_search')))).toContain('"webSearches":2')
    expect(JSON.stringify(read(usageWith('google_search')))).not.toContain('unknownFields')
    expect(JSON.stringify(read(usageWith('google_maps')))).toContain('"maps":2')
    expect(JSON.stringify(read(usageWith('retrieval')))).toContain('"file_search":2')
    expect(JSON.stringify(read(usageWith('smells')))).toContain('grounding_tool_count.smells')
  }
})

test.each(FIGURES_ELSEWHERE)('%s counts beside the usage', (_, read, response, figure) => {
  expect(JSON.stringify(read({}))).not.toContain(figure)
  expect(JSON.stringify(read(response))).toContain(figure)
})

test('an OpenAI client gets the usage of compatible servers in its place, under the names of OpenAI', () => {
  const usageFor = (json: JsonObject) => asObject(toOpenaiReply(json, 'request-1').usage)
  const usage = { prompt_tokens: 9, prompt_tokens_details: { audio_tokens: 1 } }
  for (const name of ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens'])
    for (const place of [
      { usage: { ...usage, [name]: 5 } },
      { choices: [{ usage: { ...usage, [name]: 5 } }] },
    ])
      expect(usageFor(place).prompt_tokens_details).toEqual({ audio_tokens: 1, cached_tokens: 5 })
  const exact = { prompt_tokens_details: { cached_tokens: 4 }, cached_tokens: 5 }
  expect(usageFor({ x_groq: { usage: exact } })).toEqual(exact)
  expect(toOpenaiReply({ choices: [{ index: 0, usage }] }, 'request-1').choices).toEqual([{ index: 0 }])
  const ordinary = { usage, choices: [] }
  expect(toOpenaiReply(ordinary, 'request-1')).toBe(ordinary)
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
