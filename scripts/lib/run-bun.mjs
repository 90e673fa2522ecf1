import { readFileSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

/**
 * What Bun reads from its environment before it begins: as many requests to upstreams at once as it takes, since with
 * its default of 256 slow streams wait for each other, and no thread that touches memory ahead of need.
 */
export const RUNTIME_SETTINGS = JSON.parse(
  readFileSync(inProject('scripts', 'lib', 'runtime-settings.json'), 'utf8'),
)

/** Runs Bun in the foreground and gives its exit code. */
export const runBun = (args, { env, ...options } = {}) =>
  run(findBun(), args, { ...options, env: { ...RUNTIME_SETTINGS, ...env } })

/** Runs the gateway's program with a verb and its arguments, in the folder where it was called. */
export const runTollgate = args => runBun([inProject('server', 'main.ts'), ...args], { cwd: process.cwd() })
