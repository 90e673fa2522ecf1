import { parseArgs } from 'node:util'
import {
  type Config,
  ConfigError,
  readConfigWithoutWriting,
  terminalLanguage,
} from '#server/config/config.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { CommandContext } from '#server/feature.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { checkBackups } from './check-backups.ts'
import { checkDatabase } from './check-database.ts'
import { checkDisk, checkFiles, checkPort } from './check-machine.ts'
import { checkClock, checkProxies, checkUpstreams, hostsOf, probeHosts } from './check-network.ts'
import { type CheckResult, checkProblem, ok, renderJson, renderResults, worstStatus } from './check-result.ts'
import { checkSharedLimits } from './check-shared-limits.ts'
import { printReadiness } from './gateway-state.ts'
import { checkPublicUrl } from './public-url/check-public-url.ts'

/**
 * `tollgate doctor [--json | --ready] [--url ADDRESS]`: checks what the gateway needs, or the way to it, and says what to mend. Returns the exit code: 1 when
 * a check fails. It may run beside the gateway.
 */
export async function doctor(args: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      ready: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  })
  if (values.ready) return printReadiness()
  const results = await examine(context, values.url)
  const render = values.json ? renderJson : renderResults
  process.stdout.write(`${render(results, terminalLanguage())}\n`)
  return worstStatus(results) === 'fail' ? 1 : 0
}

async function examine(context: CommandContext, url: string | undefined): Promise<readonly CheckResult[]> {
  try {
    const config = readConfigWithoutWriting()
    if (url !== undefined) return await checkPublicUrl(url, createSecrets(config.secretKey))
    const settings = ok('settings', {
      zh: '所有环境变量均有效',
      en: 'every environment variable is valid',
    })
    return [settings, ...(await runChecks(config, context))]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const remedy = {
      zh: '修正该变量：docs/reference/configuration.md',
      en: 'correct the variable: docs/reference/configuration.md',
    }
    return [checkProblem('fail', 'settings', { zh: errorMessage(error), en: errorMessage(error) }, remedy)]
  }
}

/** Every check of an installation whose settings are valid. */
export async function runChecks(
  config: Config,
  { modules, migrations }: CommandContext,
): Promise<readonly CheckResult[]> {
  const { dataDir, isBehindProxy, backup } = config
  // Opening the database mends permissions, so they are read before.
  const files = checkFiles(dataDir)
  const [port, database, limits] = await Promise.all([
    checkPort(config),
    checkDatabase(config, migrations),
    checkSharedLimits(config),
  ])
  const hosts = hostsOf(database.channels, createRegistry(modules.providers))
  const probes = await probeHosts(hosts, isBehindProxy)
  const othersMs = [database.serverMs, ...probes.map(({ serverMs }) => serverMs)].filter(
    ms => ms !== undefined,
  )
  return [
    port,
    checkDisk(dataDir, database.growth),
    files,
    ...database.results,
    ...limits,
    checkClock(othersMs),
    checkUpstreams(probes),
    checkProxies(config, database.serverAddress),
    checkBackups(backup),
  ]
}
