import { existsSync } from 'node:fs'
import { fingerprintOf, isStamped, writeStamp } from './fingerprint.mjs'
import { inProject } from './project.mjs'
import { runNode } from './run.mjs'

const SOURCES = ['console', 'features', 'contract', 'vite.config.ts', 'tsconfig.json', 'package-lock.json']
const STAMP = inProject('dist', 'console.stamp')

/** Builds dist/console unless it is up to date. Throws when the build fails. */
export async function buildConsole() {
  const fingerprint = fingerprintOf(SOURCES)
  if (isStamped(STAMP, fingerprint) && existsSync(inProject('dist', 'console'))) return
  const vite = inProject('node_modules', 'vite', 'bin', 'vite.js')
  const code = await runNode(vite, ['build'], { env: { NODE_ENV: 'production' } })
  if (code !== 0) throw new Error(`building the console failed: vite exited with code ${code}`)
  writeStamp(STAMP, fingerprint)
}
