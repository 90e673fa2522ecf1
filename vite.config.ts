import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'

const root = fileURLToPath(new URL('./console', import.meta.url))
const BOOT_SCRIPT = fileURLToPath(new URL('./console/boot-script.js', import.meta.url))
const GATEWAY = process.env.GATEWAY_URL ?? 'http://127.0.0.1:3000'
const SERVER_PATHS = ['/api', '/pg', '/v1', '/mj', '/suno', '/lab', '/healthz', '/readyz', '/metrics']

/**
 * Libraries of every page, without the parts that pages before sign-in do not need (`LATER`). The core of the icons is
 * one of them: in a group with our own code, that group and the icons would import each other.
 */
const BASE =
  /node_modules[\\/]((react|react-dom|scheduler|@tanstack|use-sync-external-store|zod)[\\/]|lucide-react[\\/]dist[\\/]esm[\\/](createLucideIcon|Icon|context|defaultAttributes|shared))/
const LATER = /queriesObserver|useQueries|useBlocker/

/** Shared code of all pages and of all lists, in one file each: split into many files it compresses some kilobytes worse. */
const GROUPS = [
  {
    name: 'base',
    test: (id: string) => BASE.test(id) && !LATER.test(id),
  },
  {
    name: 'common',
    test: /console[\\/](ui[\\/](text[\\/](text|kit-text)\.ts|class-names\.ts|store\.ts|forms[\\/]fields\.tsx|buttons[\\/]buttons\.tsx)$|app[\\/](app-text|router[\\/]search-params|session[\\/]session|preferences[\\/]local-store|api[\\/]call)\.ts$)|contract[\\/](endpoint|enums|fields|json-text|accounts[\\/]users)\.ts$|lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/](circle-exclamation-point|eye|eye-off|loader-circle)\./,
  },
  {
    name: 'lists',
    test: /console[\\/](ui[\\/](data[\\/](table[\\/](?!view-panel|column)|badges|pagination|filter[\\/]filters)|text[\\/]page-header)|app[\\/]list[\\/]list-page\.)/,
    minShareCount: 3,
  },
]

const SCREEN_FOLDER = /console[\\/]screens[\\/](.+)[\\/][^\\/]+$/

/** Adds the folder to the chunk names of screens, because every screen has a `page.tsx`. */
function chunkFileNames({ facadeModuleId }: { readonly facadeModuleId?: string | null }): string {
  const folder = SCREEN_FOLDER.exec(facadeModuleId ?? '')?.[1]?.replaceAll(/[\\/]/g, '-')
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

/**
 * Removes the JSON schema printer and the English messages of zod, which the console does not use: 6.5 KB of the first load.
 * `zod/mini` is not an alternative while the console shares the contract, whose schemas use the methods of full zod.
 */
function leanZod(): Plugin {
  return {
    name: 'lean-zod',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (ENGLISH.test(id))
        return { code: 'export default () => ({ localeError: () => undefined })', map: null }
      if (!JSON_SCHEMA.test(id)) return undefined
      const names = [...code.matchAll(EXPORTED)].map(([, name]) => `export const ${name} = () => () => ({})`)
      return { code: names.join('\n'), map: null }
    },
  }
}

const CONTRACT = /[\\/]contract[\\/].*\.ts$/
/** Properties of endpoints that only the OpenAPI document shows. */
const DOCUMENTATION_KEYS = new Set(['summary', 'description'])
const TEXT_NODES = new Set(['Literal', 'TemplateLiteral'])

/** Removes descriptions and examples from the contract: the console does not show them, only the API reference does. */
function withoutDocumentation(): Plugin {
  return {
    name: 'without-documentation',
    apply: 'build',
    transform(code, id) {
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

/** The `.meta({ … })` calls on schemas and the texts of endpoints, in reading order. */
function documentationIn(node: unknown): readonly Cut[] {
  if (!isNode(node)) return []
  const own = documentationOf(node)
  const inner = Object.values(node).flat().flatMap(documentationIn)
  return [...(own ? [own] : []), ...inner].sort((a, b) => a.start - b.start)
}

function documentationOf({ type, callee, key, value, end }: SyntaxNode): Cut | undefined {
  if (type === 'CallExpression' && isNode(callee) && isNode(callee.object) && isNode(callee.property))
    return callee.property.name === 'meta' ? { start: callee.object.end, end, replacement: '' } : undefined
  // Only texts: a schema may have a field that is called `description`.
  if (type !== 'Property' || !isNode(key) || !isNode(value) || !TEXT_NODES.has(value.type)) return undefined
  return DOCUMENTATION_KEYS.has(String(key.name))
    ? { start: value.start, end: value.end, replacement: "''" }
    : undefined
}

export default {
  root,
  publicDir: fileURLToPath(new URL('./console/public', import.meta.url)),
  plugins: [react(), tailwindcss(), bootScript(), leanZod(), withoutDocumentation()],
  build: {
    outDir: fileURLToPath(new URL('./dist/console', import.meta.url)),
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
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
