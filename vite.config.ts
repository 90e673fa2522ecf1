import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { RELAY_PATH } from './server/http/relay-path.ts'

const compress = promisify(brotliCompress)
const root = fileURLToPath(new URL('./console', import.meta.url))
const BOOT_SCRIPT = fileURLToPath(new URL('./console/boot-script.js', import.meta.url))
const GATEWAY = process.env.GATEWAY_URL ?? 'http://127.0.0.1:3000'
/** A key that starts with `^` is a regular expression to Vite. */
const SERVER_PATHS = [RELAY_PATH.source, '/api', '/bill/', '/lab', '/docs', '/healthz', '/readyz', '/metrics']

/**
 * Libraries of every page, without the parts that pages before sign-in do not need (`LATER`). The core of the icons is
 * one of them: in a group with our own code, that group and the icons would import each other.
 */
const BASE =
  /node_modules[\\/]((react|react-dom|scheduler|@tanstack|use-sync-external-store|zod)[\\/]|lucide-react[\\/]dist[\\/]esm[\\/](createLucideIcon|Icon|context|defaultAttributes|shared))/
const LATER = /queriesObserver|useQueries|useBlocker/

const LIBRARY = /node_modules/
/** Long, and shown where there is nothing yet, or after a click. */
const SNIPPETS = /console[\\/]app[\\/]snippets[\\/]first-call\.ts$/
/** Only pages with a chart need it. */
const CHARTS = /console[\\/]ui[\\/]data[\\/]chart[\\/]/
const ENTRY = /console[\\/]main\.tsx$/
const SIGN_IN = /features[\\/]sign-in[\\/]console[\\/]login[\\/]page\.tsx$/
const BARE_PAGE = /(features[\\/](sign-in|oauth)|console[\\/]kit)[\\/]/
const SHELL = /app[\\/]shell[\\/]shell\.tsx$/
const OVERVIEW = /features[\\/]dashboard[\\/]console[\\/]page\.tsx$/
const BELL = /features[\\/]dashboard[\\/]console[\\/]attention[\\/]bell\.tsx$/
/** The page of a screen stands beside its manifest. */
const isWorkPage = (id: string): boolean =>
  !BARE_PAGE.test(id) &&
  (SHELL.test(id) || (id.endsWith('page.tsx') && existsSync(join(dirname(id), 'index.tsx'))))

interface ModuleGraph {
  getModuleInfo(
    id: string,
  ): { readonly importers: readonly string[]; readonly dynamicImporters: readonly string[] } | null
}

/** The modules that load `id` at once: the entry, and modules that are loaded later with everything they import. */
function loadersOf(id: string, graph: ModuleGraph): readonly string[] {
  const visited = new Set([id])
  for (const module of visited)
    for (const importer of graph.getModuleInfo(module)?.importers ?? []) visited.add(importer)
  return [...visited].filter(
    module => ENTRY.test(module) || (graph.getModuleInfo(module)?.dynamicImporters.length ?? 0) > 0,
  )
}

const SHARED_MIN = 3
/** Fewer pages load what they share beside their own files: in the file of all lists, the other lists would load it too. */
const LISTS_MIN = 5

const FEATURE_CONTRACT = /features[\\/]([^\\/]+)[\\/]contract[\\/.]/

/**
 * The shared file that a module belongs to; null for none. What a module imports has at least its loaders, so that no file
 * imports one that fewer pages load.
 */
function sharedFileOf(id: string, graph: ModuleGraph): string | null {
  if (LIBRARY.test(id) || SNIPPETS.test(id) || CHARTS.test(id)) return null
  const loaders = loadersOf(id, graph)
  const pages = loaders.filter(isWorkPage).length
  return pages < SHARED_MIN ? fileOfFew(id, loaders) : fileOfMany(loaders, pages)
}

const isAmong = (loaders: readonly string[], pattern: RegExp): boolean =>
  loaders.some(loader => pattern.test(loader))

/**
 * `attention` for what the overview and the bell share, `contracts` for small contracts that the overview reads, `sign-in` for
 * what the sign-in page shares.
 */
function fileOfFew(id: string, loaders: readonly string[]): string | null {
  if (loaders.length > 1 && loaders.every(loader => OVERVIEW.test(loader) || BELL.test(loader)))
    return 'attention'
  if (isAmong(loaders, OVERVIEW) && FEATURE_CONTRACT.test(id)) return 'contracts'
  return loaders.length > 1 && isAmong(loaders, SIGN_IN) ? 'sign-in' : null
}

/** `fields` for what the sign-in page needs too, `work` for what the layout or the overview need, `lists` for the rest. */
function fileOfMany(loaders: readonly string[], pages: number): string | null {
  if (isAmong(loaders, SIGN_IN)) return 'fields'
  if (isAmong(loaders, SHELL) || isAmong(loaders, OVERVIEW)) return 'work'
  return pages < LISTS_MIN ? null : 'lists'
}

/** Sections of the account, which one page shows: small, since what they show loads once the reader comes near. */
const SECTION = /features[\\/].+[\\/]section\.tsx$/

/** Few files, because over HTTP/1.1 each costs a round trip of one of six connections. */
const GROUPS = [
  { name: 'base', test: (id: string) => BASE.test(id) && !LATER.test(id) },
  { name: 'common', tags: ['$initial' as const] },
  { name: sharedFileOf, debugName: 'shared' },
  { name: 'sections', test: SECTION },
  { name: 'icons', test: /lucide-react/, minShareCount: SHARED_MIN },
]

const SCREEN_FOLDER = /features[\\/]([^\\/]+)[\\/]console((?:[\\/].+)?)[\\/][^\\/]+$/

/** Adds the folder to the chunk names of screens, because every screen has a `page.tsx`. */
function chunkFileNames({ facadeModuleId }: { readonly facadeModuleId?: string | null }): string {
  const [, feature = '', below = ''] = SCREEN_FOLDER.exec(facadeModuleId ?? '') ?? []
  const folder = (feature + below).replaceAll(/[\\/]/g, '-')
  return folder ? `assets/${folder}-[name]-[hash].js` : 'assets/[name]-[hash].js'
}

/**
 * Inlines the boot script, so that the theme is set before the first paint.
 * It is the only inline script; the server's content security policy allows it by its hash.
 */
function bootScript(): Plugin {
  const script = readFileSync(BOOT_SCRIPT, 'utf8').trim()
  return {
    name: 'boot-script',
    transformIndexHtml: () => [{ tag: 'script', children: script, injectTo: 'head-prepend' }],
  }
}

const JSON_SCHEMA = /\/zod\/v4\/core\/(to-json-schema|json-schema-processors|json-schema-generator)\.js$/
const ENGLISH = /\/zod\/v4\/locales\/en\.js$/
const EXPORTED = /^export (?:const|function|class) (\w+)/gm

const ZOD = /\/zod\/v4\//
/** Validators that zod compiles from text. */
const COMPILED_OBJECT = /^export const \$ZodObjectJIT = [\s\S]*?^\}\);/m
/** `z.string().email()` and its like. `z.email()` stays, and is what the contract writes. */
const FORMAT_METHOD = /^ {4}\w+\(params\) \{\n {8}return this\.check\((core\._\w+\(Zod|iso\.).*\n {4}\},?\n/gm
/** Keeps values that contain themselves from endless recursion. */
const INSTALLED_MEMOIZER = /core\.config\(\{ memoizer: core\.memoizer\(\) \}\);/

/**
 * Removes from zod what the console does not use: the printer of JSON schemas, the English messages, formats as methods of
 * strings, compiled validators, which the content security policy forbids, and the care for values that contain themselves,
 * since the console parses JSON. `zod/mini` is not an alternative while the console shares the contract, whose schemas use
 * the methods of full zod.
 */
function leanZod(): Plugin {
  return {
    name: 'lean-zod',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!ZOD.test(id)) return undefined
      if (ENGLISH.test(id))
        return { code: 'export default () => ({ localeError: () => undefined })', map: null }
      if (JSON_SCHEMA.test(id)) return { code: withoutValues(code), map: null }
      const lean = code
        .replace(COMPILED_OBJECT, 'export const $ZodObjectJIT = $ZodObject;')
        .replaceAll(FORMAT_METHOD, '')
        .replace(INSTALLED_MEMOIZER, '{}')
      return lean === code ? undefined : { code: lean, map: null }
    },
  }
}

/** A module whose exports do nothing. */
const withoutValues = (code: string): string =>
  [...code.matchAll(EXPORTED)].map(([, name]) => `export const ${name} = () => () => ({})`).join('\n')

const ICON = /lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/]/
const ICON_KEY = /\bkey: "\w+"/g

/** Numbers the keys of an icon's shapes. They are random, which does not compress: 1.2 KB of the first load. */
function numberedIconKeys(): Plugin {
  return {
    name: 'numbered-icon-keys',
    apply: 'build',
    transform(code, id) {
      if (!ICON.test(id)) return undefined
      let keys = 0
      return { code: code.replaceAll(ICON_KEY, () => `key: "${keys++}"`), map: null }
    },
  }
}

const CONTRACT = /[\\/]contract([\\/].*)?\.ts$/
/** Properties of endpoints that only the OpenAPI document shows. */
const DOCUMENTATION_KEYS = new Set(['summary', 'description'])
/** Make schemas of a description and an example. */
const DOCUMENTED_FIELDS = new Set(['textField', 'numberField', 'flagField'])
const TEXT_NODES = new Set(['Literal', 'TemplateLiteral'])

/** Properties of endpoints that only the server reads. */
const SERVER_KEYS = new Set(['audit', 'changes', 'changedRows', 'needs', 'needsFor'])
const AUDITED_RECORDS = /[\\/]contract[\\/]audited-records\.ts$/

/**
 * Removes from the contract what the console does not show: descriptions and examples, which are for the API reference, and what
 * the audit log keeps of a call.
 */
function withoutDocumentation(): Plugin {
  return {
    name: 'without-documentation',
    apply: 'build',
    transform(code, id) {
      if (AUDITED_RECORDS.test(id)) return { code: withoutValues(code), map: null }
      if (!CONTRACT.test(id)) return undefined
      let stripped = ''
      let position = 0
      for (const { start, end, replacement } of documentationIn(this.parse(code))) {
        if (start < position) continue
        stripped += code.slice(position, start) + replacement
        position = end
      }
      return { code: stripped + code.slice(position), map: null }
    },
  }
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

interface Cut {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** The `.meta({ … })` calls on schemas, the arguments of fields and the texts of endpoints, in reading order. */
function documentationIn(node: unknown): readonly Cut[] {
  if (!isNode(node)) return []
  const own = documentationOf(node)
  const inner = Object.values(node).flat().flatMap(documentationIn)
  return [...(own ? [own] : []), ...serverPartsOf(node), ...inner].sort((a, b) => a.start - b.start)
}

function documentationOf({ type, callee, key, value, end }: SyntaxNode): Cut | undefined {
  if (type === 'CallExpression' && isNode(callee) && isNode(callee.object) && isNode(callee.property))
    return callee.property.name === 'meta' ? { start: callee.object.end, end, replacement: '' } : undefined
  if (type === 'CallExpression' && isNode(callee) && DOCUMENTED_FIELDS.has(String(callee.name)))
    return { start: callee.end, end, replacement: '()' }
  // Only texts: a schema may have a field that is called `description`.
  if (type !== 'Property' || !isNode(key) || !isNode(value) || !TEXT_NODES.has(value.type)) return undefined
  return DOCUMENTATION_KEYS.has(String(key.name))
    ? { start: value.start, end: value.end, replacement: "''" }
    : undefined
}

/** What only the server reads of an endpoint. */
function serverPartsOf({ type, callee, arguments: given }: SyntaxNode): readonly Cut[] {
  if (type !== 'CallExpression' || !isNode(callee) || callee.name !== 'endpoint') return []
  const [definition] = Array.isArray(given) ? given : []
  const properties = isNode(definition) && Array.isArray(definition.properties) ? definition.properties : []
  return properties
    .filter(
      property => isNode(property) && isNode(property.key) && SERVER_KEYS.has(String(property.key.name)),
    )
    .map(({ start, end }) => ({ start, end, replacement: '...{}' }))
}

/** Make endpoints, schemas and records of the contract, and have no effect: what no page uses of these is left out. */
const PURE_FUNCTIONS = ['endpoint', 'pageOf', 'auditedRecord', 'z', ...DOCUMENTED_FIELDS]

const COMPRESSIBLE = /\.(html|js|css|svg)$/

/** Writes each file compressed beside it, because brotli's best takes too long for the moment of a request. */
function precompressed(): Plugin {
  return {
    name: 'precompressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter(name => COMPRESSIBLE.test(name))
      await Promise.all(
        names.map(async name => {
          const path = join(dir, name)
          await writeFile(`${path}.br`, await compress(await readFile(path)))
        }),
      )
    },
  }
}

export default {
  root,
  publicDir: fileURLToPath(new URL('./console/public', import.meta.url)),
  plugins: [
    react(),
    tailwindcss(),
    bootScript(),
    leanZod(),
    numberedIconKeys(),
    withoutDocumentation(),
    precompressed(),
  ],
  /** Scripts and styles find each other below any base path. The page's own addresses are the gateway's to change. */
  experimental: {
    renderBuiltUrl: (_: string, { hostType }: { readonly hostType: string }) =>
      hostType === 'html' ? undefined : { relative: true },
  },
  build: {
    outDir: fileURLToPath(new URL('./dist/console', import.meta.url)),
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      treeshake: { manualPureFunctions: PURE_FUNCTIONS },
      output: {
        chunkFileNames,
        codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: false,
    proxy: Object.fromEntries(SERVER_PATHS.map(path => [path, { target: GATEWAY, changeOrigin: false }])),
  },
}
