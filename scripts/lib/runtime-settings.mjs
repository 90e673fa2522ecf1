import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'

let known

/**
 * Environment variables that Bun reads at startup, without those that the installed version does not know:
 *
 * - `BUN_CONFIG_MAX_HTTP_REQUESTS` raises the limit of concurrent upstream requests. At the default of 256, slow streams wait
 *   for each other.
 * - `BUN_JSC_forceCodeBlockLiveness` keeps compiled code. By default, code that has not run for a while is dropped, and the
 *   next requests run slowly until it is compiled again.
 * - `BUN_JSC_heapGrowthMaxIncrease` limits the heap to twice its content between collections instead of three times.
 * - `BUN_JSC_useWarmUpMarkedBlocks` disables the thread that touches memory in advance.
 */
export function runtimeSettings() {
  known ??= knownSettings(
    JSON.parse(readFileSync(inProject('scripts', 'lib', 'runtime-settings.json'), 'utf8')),
    findBun(),
  )
  return known
}

/** Engine options change between versions, and one that is unknown ends the process at its start. */
export function knownSettings(settings, bun) {
  const starts = env =>
    spawnSync(bun, ['--print', '0'], { env: { ...process.env, ...env }, stdio: 'ignore' }).status === 0
  if (starts(settings)) return settings
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => starts({ [name]: value })))
}
