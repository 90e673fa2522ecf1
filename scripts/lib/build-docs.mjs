import { existsSync } from 'node:fs'
import { fingerprintOf, isStamped, writeStamp } from './fingerprint.mjs'
import { inProject } from './project.mjs'
import { runCaptured } from './run-captured.mjs'

const SOURCES = ['docs', 'scripts/docs', 'package-lock.json']
const STAMP = inProject('dist', 'docs.stamp')
const GENERATOR = inProject('node_modules', 'vitepress', 'bin', 'vitepress.js')

/**
 * Builds dist/docs unless it is up to date. Throws when the build fails, such as for a link that leads nowhere. Aborting
 * `until` ends the build.
 */
export async function buildDocs({ until } = {}) {
  const fingerprint = fingerprintOf(SOURCES)
  if (isStamped(STAMP, fingerprint) && existsSync(inProject('dist', 'docs'))) return
  const { code, output } = await runCaptured(process.execPath, [GENERATOR, 'build', 'docs'], {
    env: { NODE_ENV: 'production' },
    ...(until && { signal: until }),
  })
  if (code !== 0) throw new Error(`building the documentation failed: ${output.trim()}`)
  writeStamp(STAMP, fingerprint)
}
