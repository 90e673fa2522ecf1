import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { PROJECT } from '../harness/program.ts'

const SITE = join(PROJECT, 'dist', 'docs')

/** Builds the site with the project's command, which does nothing when the site is up to date. */
export async function buildSite(): Promise<void> {
  const build = Bun.spawn(['node', 'scripts/docs.mjs'], { cwd: PROJECT, stdout: 'ignore', stderr: 'pipe' })
  const errors = await new Response(build.stderr).text()
  if ((await build.exited) !== 0) throw new Error(`npm run docs failed: ${errors}`)
}

/** The texts of the built site with this ending, by their paths in it. */
export const readSite = (ending: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(SITE, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith(`${ending}.br`))
      .map(name => [
        name.replace(/\.br$/, ''),
        brotliDecompressSync(readFileSync(join(SITE, name))).toString(),
      ]),
  )
