import { main, projectVersion } from '../lib/main.mjs'
import { npm } from '../lib/npm.mjs'
import { inProject } from '../lib/project.mjs'
import { runCaptured } from '../lib/run-captured.mjs'
import { packageName, TARGETS, tarballName } from './targets.mjs'

const USAGE = `
Usage: node scripts/release/publish.mjs

Publishes the npm packages of dist/release/npm: those of the platforms first, since the package tollgate needs them. Skips
what is published already, so that a release that failed half way can be run again.
`

await main(USAGE, async () => {
  const version = projectVersion()
  // People who install without a version get the newest release, not a preview.
  const tag = version.includes('-') ? 'next' : 'latest'
  for (const name of [...TARGETS.map(target => packageName(target.name)), 'tollgate']) {
    if (await isPublished(`${name}@${version}`))
      process.stdout.write(`${name}@${version} is published already\n`)
    else
      await npm([
        'publish',
        inProject('dist', 'release', 'npm', tarballName(name, version)),
        '--access=public',
        `--tag=${tag}`,
      ])
  }
  return 0
})

async function isPublished(specifier) {
  const { code, output } = await runCaptured('npm', ['view', specifier, 'version'])
  return code === 0 && output.trim() !== ''
}
