#!/usr/bin/env node
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isMusl } from '../lib/bun-binary.mjs'
import { run } from '../lib/run.mjs'
import { executableName, packageName, targetName } from './targets.mjs'

/** The command of the npm package `tollgate`: runs the executable that npm installed for this platform. */
try {
  process.exitCode = await run(findExecutable(), process.argv.slice(2), { cwd: process.cwd() })
} catch (error) {
  process.stderr.write(`tollgate: ${error.message}\n`)
  process.exitCode = 1
}

function findExecutable() {
  const target = targetName(process.platform, process.arch, isMusl())
  const manifest = resolveManifest(packageName(target))
  if (manifest) return join(dirname(manifest), executableName(process.platform))
  throw new Error(
    `there is no executable for ${target}. npm installs it as the optional package ${packageName(target)}: ` +
      'install again without --omit=optional. If the package does not exist, this platform needs a build from source.',
  )
}

function resolveManifest(name) {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`)
  } catch {
    return undefined
  }
}
