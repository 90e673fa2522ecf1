import { dirname, relative } from 'node:path'
import { Glob, plugin } from 'bun'

const CALL = /import\.meta\.glob(?:<[^(]*>)?\(\s*'([^']+)'(,\s*\{\s*eager: true,?\s*\})?,?\s*\)/g

/** Replaces Vite's `import.meta.glob` by the imports that it stands for. */
export function withoutGlobs(code: string, path: string): string {
  const folder = dirname(path)
  const imports: string[] = []
  const body = code.replaceAll(CALL, (_, pattern: string, eager: string | undefined) => {
    const entries = [...filesOf(pattern, folder)].map(file => {
      const specifier = JSON.stringify(file)
      if (eager === undefined) return `${specifier}: () => import(${specifier})`
      const name = `globbed${imports.length}`
      imports.push(`import * as ${name} from ${specifier}`)
      return `${specifier}: ${name}`
    })
    return `{ ${entries.join(', ')} }`
  })
  return [...imports, body].join('\n')
}

/** Files as paths relative to `folder`, in a fixed order. */
function filesOf(pattern: string, folder: string): readonly string[] {
  const [up = ''] = /^(\.\.?\/)+/.exec(pattern) ?? []
  const root = new URL(up, `file://${folder}/`).pathname
  return [...new Glob(pattern.slice(up.length)).scanSync(root)]
    .map(file => `${relative(folder, root + file)}`.replaceAll('\\', '/'))
    .map(file => (file.startsWith('.') ? file : `./${file}`))
    .sort()
}

/** From here on Bun loads modules of the console that find others by `import.meta.glob`. Import this module before them. */
plugin({
  name: 'vite-glob',
  setup(build) {
    build.onLoad({ filter: /[\\/]console[\\/]app[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: withoutGlobs(await Bun.file(path).text(), path),
      loader: 'ts',
    }))
  },
})
