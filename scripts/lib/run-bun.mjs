import { readFileSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

/**
 * Environment variables that Bun reads at startup. They raise the limit of concurrent upstream requests, since slow
 * streams wait for each other at the default of 256, and disable the thread that touches memory in advance.
 */
export const RUNTIME_SETTINGS = JSON.parse(
  readFileSync(inProject('scripts', 'lib', 'runtime-settings.json'), 'utf8'),
)

/** Runs Bun in the foreground. Returns its exit code. */
export const runBun = (args, { env, ...options } = {}) =>
  run(findBun(), args, { ...options, env: { ...RUNTIME_SETTINGS, ...env } })

/** Runs the `tollgate` command line in the current folder. Returns its exit code. */
export const runTollgate = args => runBun([inProject('server', 'main.ts'), ...args], { cwd: process.cwd() })
